import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { validatePolicyExpressions } from "./expressions.js";
import { validateBindingSpec, validatePolicySpec } from "./policies.js";
import type { BindingSpec, PolicySpec } from "./types.js";

interface MutatingAdmissionPolicy extends ApiObject {
  readonly spec?: PolicySpec & {
    readonly mutations?: readonly Mutation[];
    readonly reinvocationPolicy?: string;
  };
}

interface Mutation {
  readonly patchType?: string;
  readonly applyConfiguration?: Patch;
  readonly jsonPatch?: Patch;
}

interface Patch {
  readonly expression?: string;
}

interface MutatingAdmissionPolicyBinding extends ApiObject {
  readonly spec?: BindingSpec;
}

export const mutatingAdmissionPolicy = behavior<MutatingAdmissionPolicy>((naming, release) => ({
  validateCreate: ({ spec = {} }) => validatePolicyExpressions(spec, undefined, { naming, release }),
  validateUpdate: ({ spec = {} }, old) => validatePolicyExpressions(spec, old.spec, { naming, release }),
  validate({ spec = {} }) {
    const { mutations = [], reinvocationPolicy = "" } = spec;
    return [
      ...validatePolicySpec(spec),
      ...(mutations.length === 0
        ? [fieldError.required("spec.mutations", "mutations must contain at least one item")]
        : []),
      ...mutations.flatMap((mutation, i) => validateMutation(mutation, `spec.mutations[${i}]`)),
      ...(reinvocationPolicy === "" ? [fieldError.required("spec.reinvocationPolicy")] : []),
    ];
  },
}));

export const mutatingAdmissionPolicyBinding = behavior<MutatingAdmissionPolicyBinding>(() => ({
  validate: ({ spec = {} }) => validateBindingSpec(spec),
}));

/** A patch is of one type, and only its body is there. Which types there are is data. */
function validateMutation(mutation: Mutation, at: string): readonly FieldError[] {
  const { patchType = "", applyConfiguration, jsonPatch } = mutation;
  const apply = { name: "applyConfiguration", patch: applyConfiguration };
  const json = { name: "jsonPatch", patch: jsonPatch };
  switch (patchType) {
    case "":
      return [fieldError.required(`${at}.patchType`)];
    case "ApplyConfiguration":
      return validateBodies(patchType, { wanted: apply, unwanted: json, at });
    case "JSONPatch":
      return validateBodies(patchType, { wanted: json, unwanted: apply, at });
    default:
      return [];
  }
}

interface Body {
  readonly name: string;
  readonly patch: Patch | undefined;
}

function validateBodies(
  patchType: string,
  { wanted, unwanted, at }: { readonly wanted: Body; readonly unwanted: Body; readonly at: string },
): readonly FieldError[] {
  const absent = wanted.patch === undefined;
  return [
    ...(absent
      ? [fieldError.required(`${at}.${wanted.name}`, `must be specified when patchType is ${patchType}`)]
      : []),
    ...(!absent && (wanted.patch?.expression ?? "").trim() === ""
      ? [fieldError.required(`${at}.${wanted.name}.expression`)]
      : []),
    ...(unwanted.patch === undefined
      ? []
      : [
          fieldError.invalid(
            `${at}.${unwanted.name}`,
            `{${unwanted.name}}`,
            `must not be specified when patchType is ${patchType}`,
          ),
        ]),
  ];
}
