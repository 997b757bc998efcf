import { checkRules } from "@orch/cel/rules/check.js";
import type { RuleEnvironments } from "@orch/cel/rules/environments.js";
import { ruleTree } from "@orch/cel/rules/tree.js";
import type { MessageType } from "@orch/schema/descriptor.js";
import { type CauseReason, type FieldError, fieldError } from "@orch/status/field-error.js";
import type { AnyObject } from "../object.js";

/** The rules of the expression language that objects of a kind are held against. */
export interface KindRules {
  /** `errors`: what is wrong with the object otherwise. Hub objects. */
  check(object: AnyObject, old: AnyObject | undefined, errors: readonly FieldError[]): RulesChecked;
}

export interface RulesChecked {
  readonly errors: readonly FieldError[];
  /** Of what was wrong before and has not changed. */
  readonly warnings: readonly string[];
}

/** Rules cannot be run over a value that lacks what its schema promises. */
const blocking: ReadonlySet<CauseReason> = new Set<CauseReason>([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const notChecked: RulesChecked = {
  errors: [
    fieldError.invalid(
      "<nil>",
      "null",
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    ),
  ],
  warnings: [],
};

/** The rules of a custom resource; undefined where its schema has none. They are compiled as objects meet them. */
export function kindRules(type: MessageType, environments: RuleEnvironments): KindRules | undefined {
  const tree = ruleTree(type, { environments, root: true });
  if (tree === undefined) return undefined;
  return {
    check(object, old, errors) {
      if (errors.some(({ reason }) => blocking.has(reason))) return notChecked;
      const found = checkRules(tree, object, { old, ratchet: old !== undefined });
      return {
        errors: found.errors,
        warnings: found.warnings.map(({ field, message }) => `${field}: ${message}`),
      };
    },
  };
}
