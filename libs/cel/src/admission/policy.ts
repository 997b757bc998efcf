import { declaredType, type Type, t } from "../check/types.js";
import type { CelEnvironment } from "../environment.js";
import { patchType } from "../libraries/json-patch.js";
import { compileExpression, type Program } from "../program.js";
import { type EnvironmentsOptions, type PolicyEnvironments, policyEnvironments } from "./environments.js";

/** The expressions of a policy, validating or mutating, as its spec has them; blank ones are its validation's business. */
export interface PolicySource {
  readonly paramKind?: object | undefined;
  readonly matchConditions?: readonly { readonly name?: string; readonly expression?: string }[] | undefined;
  readonly variables?: readonly { readonly name?: string; readonly expression?: string }[] | undefined;
  readonly validations?: readonly ValidationSource[] | undefined;
  readonly auditAnnotations?: readonly { readonly key?: string; readonly valueExpression?: string }[] | undefined;
  readonly mutations?: readonly MutationSource[] | undefined;
}

export interface ValidationSource {
  readonly expression?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly messageExpression?: string;
}

export interface MutationSource {
  readonly patchType?: string;
  readonly applyConfiguration?: { readonly expression?: string } | undefined;
  readonly jsonPatch?: { readonly expression?: string } | undefined;
}

/** An expression at a place of the spec: ready to run, or what is wrong with it. */
export type PolicyExpression = {
  /** `spec.validations[0].expression`. */
  readonly at: string;
  readonly text: string;
} & (
  | { readonly program: Program; readonly problem?: undefined }
  /** `internal`: it can be read, and not be run, which the reference takes for a fault of its own. */
  | { readonly problem: string; readonly internal?: boolean }
);

export interface CompiledPolicy {
  readonly conditions: readonly PolicyExpression[];
  readonly variables: readonly { readonly name: string; readonly value: PolicyExpression }[];
  readonly validations: readonly {
    readonly source: ValidationSource;
    readonly expression: PolicyExpression;
    readonly message: PolicyExpression | undefined;
  }[];
  readonly annotations: readonly { readonly key: string; readonly value: PolicyExpression }[];
  readonly mutations: readonly PolicyExpression[];
}

export interface PolicyOptions extends Pick<EnvironmentsOptions, "dialect" | "release" | "isStored"> {
  /** Whether `variables` is there where the policy has none, as it is when a policy runs; not when one is written. */
  readonly variables?: boolean;
}

/** Compiles every expression of a policy. What is blank is left out. */
export function compilePolicy(spec: PolicySource, options: PolicyOptions): CompiledPolicy {
  const { matchConditions = [], variables = [], validations = [], auditAnnotations = [], mutations = [] } = spec;
  const environments: EnvironmentsOptions = {
    ...options,
    params: spec.paramKind !== undefined,
    extra: mutations.length > 0 ? ["jsonpatch"] : [],
  };
  const plain = policyEnvironments(environments, false);
  const full = policyEnvironments(environments, variables.length > 0 || options.variables === true);
  return {
    conditions: compileConditions(matchConditions, "spec.matchConditions", plain),
    // In their order: each sees those before it.
    variables: variables.flatMap(({ name = "", expression = "" }, i) => {
      if (expression.trim() === "") return [];
      const at = `spec.variables[${i}].expression`;
      const { type, value } = compileAt(at, expression, { env: full.of(expression, all), wanted: undefined });
      full.declare(name, type);
      return [{ name, value }];
    }),
    validations: validations.flatMap((source, i) => {
      const { expression = "", messageExpression = "" } = source;
      if (expression.trim() === "") return [];
      const at = `spec.validations[${i}]`;
      const env = full.of(expression, all);
      return [
        {
          source,
          expression: compileAt(`${at}.expression`, expression, { env, wanted: bools }).value,
          message: messageOf(messageExpression, `${at}.messageExpression`, full),
        },
      ];
    }),
    annotations: auditAnnotations.flatMap(({ key = "", valueExpression = "" }, i) => {
      if (valueExpression.trim() === "") return [];
      const at = `spec.auditAnnotations[${i}].valueExpression`;
      const env = full.of(valueExpression, all);
      return [{ key, value: compileAt(at, valueExpression, { env, wanted: textsOrNull }).value }];
    }),
    mutations: mutations.flatMap((mutation, i) => compileMutation(mutation, `spec.mutations[${i}]`, full)),
  };
}

const all = { authorizer: true };

/** Conditions under which a policy or a webhook is asked at all. Blank ones are left out. */
export function compileConditions(
  conditions: NonNullable<PolicySource["matchConditions"]>,
  at: string,
  environments: PolicyEnvironments,
): readonly PolicyExpression[] {
  return conditions.flatMap(({ expression = "" }, i) => {
    if (expression.trim() === "") return [];
    const env = environments.of(expression, all);
    return [compileAt(`${at}[${i}].expression`, expression, { env, wanted: bools }).value];
  });
}

/** The match conditions of a webhook. */
export function compileWebhookConditions(
  conditions: NonNullable<PolicySource["matchConditions"]>,
  at: string,
  options: PolicyOptions,
): readonly PolicyExpression[] {
  return compileConditions(conditions, at, policyEnvironments({ ...options, params: false }, false));
}

/** What is said of a decision is no place to ask the authorizer. */
function messageOf(text: string, at: string, environments: PolicyEnvironments): PolicyExpression | undefined {
  if (text.trim() === "") return undefined;
  return compileAt(at, text, { env: environments.of(text, { authorizer: false }), wanted: strings }).value;
}

function compileMutation(
  { patchType: type, applyConfiguration, jsonPatch }: MutationSource,
  at: string,
  environments: PolicyEnvironments,
): readonly PolicyExpression[] {
  const isApply = type === "ApplyConfiguration";
  const text = (isApply ? applyConfiguration : jsonPatch)?.expression ?? "";
  if (text.trim() === "") return [];
  const place = `${at}.${isApply ? "applyConfiguration" : "jsonPatch"}.expression`;
  const wanted = isApply ? [t.struct("Object")] : [t.list(t.struct(patchType))];
  return [compileAt(place, text, { env: environments.of(text, all), wanted }).value];
}

const bools: readonly Type[] = [t.bool];
const strings: readonly Type[] = [t.string];
const textsOrNull: readonly Type[] = [t.string, t.null];

interface Wanted {
  readonly env: CelEnvironment;
  /** The types of which the value may be; undefined: any. */
  readonly wanted: readonly Type[] | undefined;
}

function compileAt(
  at: string,
  text: string,
  { env, wanted }: Wanted,
): { readonly value: PolicyExpression; readonly type: Type } {
  // What nobody knows the type of may be of any.
  const wrong = (problem: string, type = t.dyn) => ({ value: { at, text, problem }, type });
  const made = compileExpression(text, env);
  if (!made.ok && made.stage === "compile") return wrong(`compilation failed: ${made.display}`);
  const { type = t.dyn } = made;
  const own = declaredType(type);
  if (wanted !== undefined && !wanted.some((one) => declaredType(one) === own)) {
    const names = wanted.map(declaredType);
    const must = names.length === 1 ? names.join("") : `one of [${names.join(" ")}]`;
    return wrong(`must evaluate to ${must} but got ${own}`, type);
  }
  if (!made.ok) {
    const problem = `program instantiation failed: ${made.display}`;
    return { value: { at, text, problem, internal: true }, type };
  }
  return { value: { at, text, program: made.program }, type };
}
