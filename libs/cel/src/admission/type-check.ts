import type { StructDeclaration } from "../check/environment.js";
import { type Type, t } from "../check/types.js";
import { type CelEnvironment, extendEnvironment } from "../environment.js";
import { analyze } from "../program.js";
import { declareSchema } from "../schema/declare.js";
import type { SchemaView } from "../schema/view.js";
import { policyEnvironments } from "./environments.js";
import type { PolicyOptions, PolicySource } from "./policy.js";

/** A kind that a policy is about, with the type of its objects. */
export interface TypedKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Of the type, as messages name it. */
  readonly name: string;
  readonly view: SchemaView;
}

/** Against what a policy is checked. */
export interface TypesOfPolicy extends PolicyOptions {
  /** The type of its parameters: of any where absent, and `undefined` where there is no such kind, so that nothing may name them. */
  readonly params?: TypedKind | undefined;
}

export interface TypeWarning {
  /** `spec.validations[0].expression`. */
  readonly fieldRef: string;
  readonly warning: string;
}

/**
 * What the expressions of a policy get wrong about the kinds that it names: to run them nothing is known of an object, but
 * whoever wrote the policy is told.
 */
export function typeWarnings(
  spec: PolicySource,
  kinds: readonly TypedKind[],
  options: TypesOfPolicy,
): readonly TypeWarning[] {
  const places = (spec.validations ?? []).flatMap(({ expression = "", messageExpression = "" }, i) => [
    { fieldRef: `spec.validations[${i}].expression`, text: expression },
    { fieldRef: `spec.validations[${i}].messageExpression`, text: messageExpression },
  ]);
  const checkers = kinds.map((kind) => ({ kind, problemOf: checkerOf(spec, kind, options) }));
  return places.flatMap(({ fieldRef, text }) => {
    if (text.trim() === "") return [];
    const told = checkers.flatMap(({ kind, problemOf }) => {
      const problem = problemOf(text);
      return problem === undefined ? [] : [`${kind.apiVersion}, Kind=${kind.kind}: ${problem}\n`];
    });
    return told.length === 0 ? [] : [{ fieldRef, warning: told.join("\n") }];
  });
}

/** Checks a text where objects are of a kind; a variable that is wrong itself may be anything. */
function checkerOf(
  { paramKind, variables: declared = [] }: PolicySource,
  { name, view }: TypedKind,
  options: TypesOfPolicy,
): (text: string) => string | undefined {
  const isUnknown = "params" in options && options.params === undefined;
  const params = paramKind === undefined || isUnknown ? undefined : options.params;
  const environments = policyEnvironments(
    { ...options, params: paramKind !== undefined && !isUnknown },
    declared.length > 0,
  );
  const schema = declareSchema(view, { name, root: true, keywords: true });
  const type: Type = schema?.declared.type ?? t.dyn;
  const ofParams = params && declareSchema(params.view, { name: params.name, root: true, keywords: true });
  const structs: ReadonlyMap<string, StructDeclaration> = schema?.structs ?? new Map();
  const variables = new Map([
    ["object", type],
    ["oldObject", type],
  ]);
  const withParams = (env: CelEnvironment): CelEnvironment =>
    ofParams === undefined
      ? env
      : extendEnvironment(env, {
          variables: new Map([["params", ofParams.declared.type]]),
          structs: ofParams.structs,
        });
  const check = (text: string) => {
    const env = withParams(environments.of(text, { authorizer: true }));
    return analyze(text, extendEnvironment(env, { variables, structs }));
  };
  for (const { name: variable = "", expression = "" } of declared) {
    const analysis = check(expression);
    environments.declare(variable, analysis.ok ? analysis.checked.type : t.dyn);
  }
  return (text) => {
    const analysis = check(text);
    return analysis.ok ? undefined : analysis.display;
  };
}
