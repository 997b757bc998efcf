import type { Dialect } from "@orch/naming/naming.js";
import { declaredType, type Type, t } from "../check/types.js";
import type { Range } from "../cost/sizes.js";
import { createEnvironment, type ExtraLibrary } from "../environment.js";
import {
  type AuthorizationCheck,
  type AuthorizationDecision,
  type AuthorizationUser,
  authorizerOf,
  requestResourceOf,
} from "../libraries/authorizer.js";
import { analyze, estimateCost, makeProgram } from "../program.js";
import { declareSchema, type SchemaDeclaration } from "../schema/declare.js";
import { type JsonSchema, viewOfJsonSchema } from "../schema/json-schema.js";
import { schemaValue } from "../schema/values.js";
import { type SchemaView, withObjectMeta } from "../schema/view.js";
import type { Value } from "../values/value.js";
import { renderValue } from "./render.js";
import { fieldSelectorText, labelSelectorText } from "./selectors.js";
import { parseType, typedValue, type VariableRow } from "./variables.js";

/** A row of kind `expr`. */
export interface ExpressionCase {
  readonly id: string;
  readonly expr?: string;
  readonly release?: string;
  readonly libs?: readonly ExtraLibrary[];
  readonly vars?: { readonly [name: string]: VariableRow };
  readonly self?: {
    readonly schema: JsonSchema;
    readonly value: unknown;
    readonly old?: unknown;
    readonly root?: boolean;
  };
  readonly authorizer?: { readonly rules?: readonly AuthorizerRule[]; readonly user?: string };
}

interface AuthorizerRule {
  readonly decision: string;
  readonly reason?: string;
  readonly error?: string;
  readonly when?: { readonly [attribute: string]: unknown };
}

/** The release from which reserved words may be selected as they are written. */
const keywordRelease = 31;

/** What this engine makes of a row, in the form of the row's `want`. */
export function runExpression(row: ExpressionCase, dialect: Dialect): { readonly [key: string]: unknown } {
  const release = row.release === undefined ? undefined : Number(row.release.split(".")[1]);
  const domain = dialect;
  const schema = row.self && selfOf(row.self, release);
  const variables = new Map<string, Type>();
  const values = new Map<string, Value>();
  for (const [name, { type, value }] of Object.entries(row.vars ?? {})) {
    const known = parseType(type, domain) ?? t.dyn;
    variables.set(name, known);
    values.set(name, typedValue(known, value, domain));
  }
  const calls: unknown[] = [];
  if (row.authorizer !== undefined && (release === undefined || release >= 27)) {
    variables.set("authorizer", t.struct(`${domain}.authorization.Authorizer`));
    values.set("authorizer", authorizerOf(domain, scripted(row.authorizer, calls)));
  }
  if (schema?.declaration !== undefined) {
    for (const [name, value] of schema.values) {
      variables.set(name, schema.declaration.declared.type);
      values.set(name, value);
    }
  }
  const env = createEnvironment({
    dialect,
    ...(release !== undefined && { release }),
    ...(row.libs && { extra: row.libs }),
    ...(schema?.declaration && { structs: schema.declaration.structs }),
    variables,
  });
  const text = row.expr ?? "";
  const analysis = analyze(text, env);
  if (!analysis.ok) return { compile_error: analysis.display };
  const { checked } = analysis;
  const size = schema?.declaration && ((path: readonly string[]) => ofSelf(schema.declaration, path));
  const range = estimateCost(checked, env, size);
  const about = { type: declaredType(checked.type), estimate: [amount(range.min), amount(range.max)] };
  const made = makeProgram(text, checked, { env });
  if (!made.ok) return { program_error: made.display, ...about };
  const outcome = made.program.run((name) => values.get(name));
  const authorizerCalls = calls.length === 0 ? {} : { authorizer_calls: calls };
  if (!outcome.ok) return { error: outcome.error, cost: outcome.cost, ...about, ...authorizerCalls };
  return { value: renderValue(outcome.value), cost: outcome.cost, ...about, ...authorizerCalls };
}

const ofSelf = (declaration: SchemaDeclaration | undefined, path: readonly string[]): Range | undefined =>
  path[0] === "self" || path[0] === "oldSelf" ? declaration?.size(path) : undefined;

function selfOf(
  self: NonNullable<ExpressionCase["self"]>,
  release: number | undefined,
): { readonly declaration: SchemaDeclaration | undefined; readonly values: ReadonlyMap<string, Value> } {
  const view = viewOfJsonSchema(self.schema);
  const root = self.root === true;
  const declaration = declareSchema(view, {
    name: "selfType",
    root,
    keywords: release === undefined || release >= keywordRelease,
  });
  const shown: SchemaView = root ? withObjectMeta(view) : view;
  const values = new Map<string, Value>([["self", schemaValue(self.value, shown)]]);
  if (self.old !== undefined) values.set("oldSelf", schemaValue(self.old, shown));
  return { declaration, values };
}

function amount(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** `authorizer` and `authorizer.requestResource` of a row's rules; what is asked is noted in `calls`. */
export function scriptedAuthorizer(
  script: NonNullable<ExpressionCase["authorizer"]>,
  { dialect, calls, target }: { readonly dialect: Dialect; readonly calls: unknown[]; readonly target: RequestTarget },
): { readonly own: Value; readonly requestResource: Value } {
  const authorize = scripted(script, calls, false);
  return { own: authorizerOf(dialect, authorize), requestResource: requestResourceOf(dialect, authorize, target) };
}

type RequestTarget = Parameters<typeof requestResourceOf>[2];

/** The first rule whose attributes are the check's decides. */
function scripted(
  { rules = [], user = "alice" }: NonNullable<ExpressionCase["authorizer"]>,
  calls: unknown[],
  withGroups = true,
): (check: AuthorizationCheck) => AuthorizationDecision {
  return (check) => {
    const attributes = attributesOf(check, { user, withGroups });
    calls.push(attributes);
    const rule = rules.find(({ when = {} }) => Object.entries(when).every(([key, value]) => attributes[key] === value));
    const error = rule?.error === undefined ? {} : { error: rule.error };
    return { allowed: rule?.decision === "allow", reason: rule?.reason ?? "", ...error };
  };
}

/** Rows of admission do not tell the groups of who asks. */
interface Requester {
  readonly user: string;
  readonly withGroups: boolean;
}

function attributesOf(check: AuthorizationCheck, requester: Requester): { readonly [name: string]: unknown } {
  const { user, ...rest } = check;
  const attributes: { [name: string]: unknown } = { ...userAttributes(user, requester) };
  for (const [name, value] of Object.entries(rest)) if (value !== "" || name === "group") attributes[name] = value;
  if (!("resource" in check)) return attributes;
  const selectors = [
    ["fieldSelector", check.fieldSelector, fieldSelectorText],
    ["labelSelector", check.labelSelector, labelSelectorText],
  ] as const;
  for (const [name, text, read] of selectors) {
    if (text === "") continue;
    const found = read(text);
    delete attributes[name];
    if ("error" in found) attributes[`${name}Error`] = found.error;
    else attributes[name] = found.text;
  }
  return attributes;
}

function userAttributes(user: AuthorizationUser, requester: Requester): { readonly [name: string]: unknown } {
  if (user.kind === "requester") {
    return { user: requester.user, ...(requester.withGroups && { groups: ["system:authenticated"] }) };
  }
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${user.namespace}`];
  return { user: `system:serviceaccount:${user.namespace}:${user.name}`, groups };
}
