import type { Dialect } from "@orch/naming/naming.js";
import { declaredType } from "../check/types.js";
import { compileCondition, matchAll } from "../conditions.js";
import { deviceValue } from "../devices.js";
import { authorizationEnvironment, claimsEnvironment, deviceEnvironment, userEnvironment } from "../kinds.js";
import { analyze, estimateCost, makeProgram } from "../program.js";
import { dynamicValue } from "../schema/dynamic.js";
import { typeNameOf } from "../values/value.js";
import { renderValue } from "./render.js";

/** What came of a row. */
export type Got = { readonly [key: string]: unknown };

type Json = unknown;
type Fields = { readonly [key: string]: Json };

const fieldsOf = (value: Json): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);
const amount = (value: bigint): number | string => (value <= 9007199254740991n ? Number(value) : String(value));

/** A row of kind `authn` with an expression over claims or over the user they were mapped to. */
export function runAuthentication(row: Fields, dialect: Dialect): Got | undefined {
  const given = fieldsOf(row["authn"]);
  const text = row["expr"];
  if (typeof text !== "string") return undefined;
  const { role } = given;
  const ofUser = role === "user-validation";
  const env = ofUser ? userEnvironment(dialect) : claimsEnvironment(dialect);
  const analysis = analyze(text, env);
  if (!analysis.ok) return { compile_error: `compilation failed: ${analysis.display}` };
  const { checked } = analysis;
  if (role !== undefined && checked.type.kind !== "bool") return { compile_error: "must evaluate to bool" };
  const made = makeProgram(text, checked, { env });
  if (!made.ok) return { compile_error: `program instantiation failed: ${made.display}` };
  const data = ofUser ? given["user"] : given["claims"];
  const outcome = made.program.run(() => dynamicValue(data ?? {}));
  const type = declaredType(checked.type);
  if (!outcome.ok) return { type, error: `expression '${text}' resulted in error: ${outcome.error}` };
  return { type, value: renderValue(outcome.value) };
}

/** What all the conditions of one authorizer may cost. */
const conditionBudget = 2_500_000;

/** A row of kind `authz`: match conditions over the subject of an authorization. */
export function runAuthorization(row: Fields, dialect: Dialect): Got {
  const { conditions, request } = fieldsOf(row["authz"]);
  const env = authorizationEnvironment(dialect);
  const compiled = listOf(conditions).map((text) => ({
    text: String(text),
    condition: compileCondition(String(text), env),
  }));
  const wrong = compiled.flatMap(({ text, condition }, i) => {
    if (condition.ok) return [];
    const path = `matchConditions[${i}].expression`;
    if (condition.problem.kind === "required") return [`${path}: Required value`];
    return [`${path}: Invalid value: ${JSON.stringify(text)}: ${condition.problem.message}`];
  });
  const seen = new Set<string>();
  for (const [i, { text }] of compiled.entries()) {
    if (text !== "" && seen.has(text))
      wrong.push(`matchConditions[${i}].expression: Duplicate value: ${JSON.stringify(text)}`);
    seen.add(text);
  }
  if (wrong.length > 0) return { create_errors: wrong };
  const programs = compiled.flatMap(({ condition }) => (condition.ok ? [condition.program] : []));
  const subject = dynamicValue(subjectOf(fieldsOf(request)));
  const match = matchAll(programs, () => subject, { budget: { remaining: conditionBudget } });
  if (match.matches !== "unknown") return { matches: match.matches };
  const errors = match.errors.map((error) => `cel evaluation error: ${error}`);
  return { error: errors.length === 1 ? errors[0] : `[${errors.join(", ")}]` };
}

const resourceFields = ["namespace", "verb", "group", "version", "resource", "subresource", "name"];

/** The subject as expressions see it: texts are there, if only empty ones. */
function subjectOf(request: Fields): Fields {
  const { resourceAttributes, nonResourceAttributes } = request;
  const resource = fieldsOf(resourceAttributes);
  const filled = Object.fromEntries(resourceFields.map((name) => [name, resource[name] ?? ""]));
  return {
    user: request["user"] ?? "",
    groups: request["groups"] ?? [],
    uid: request["uid"] ?? "",
    extra: request["extra"] ?? {},
    ...(resourceAttributes !== undefined && { resourceAttributes: { ...resource, ...filled } }),
    ...(nonResourceAttributes !== undefined && { nonResourceAttributes }),
  };
}

const selectorCost = 1_000_000;

/** A row of kind `dra`: a selector of devices. */
export function runDevice(row: Fields, dialect: Dialect): Got {
  const text = String(row["expr"] ?? "");
  const { env, size } = deviceEnvironment(dialect);
  const field = `spec.selectors[0].cel.expression`;
  const refused = (message: string): Got => ({
    compile_error: message,
    create_errors: [`${field}: Invalid value: ${JSON.stringify(text)}: ${message}`],
  });
  const analysis = analyze(text, env);
  if (!analysis.ok) return refused(`compilation failed: ${analysis.display}`);
  const { checked } = analysis;
  const type = declaredType(checked.type);
  if (checked.type.kind !== "bool" && checked.type.kind !== "any") {
    return refused(`must evaluate to bool or the unknown type, not ${type}`);
  }
  const { max } = estimateCost(checked, env, size);
  const made = makeProgram(text, checked, { env });
  if (!made.ok) return refused(`program instantiation failed: ${made.display}`);
  const device = deviceValue(fieldsOf(row["dra"]), dialect);
  const outcome = made.program.run(() => device, { limit: selectorCost });
  const about = {
    type,
    max_cost: amount(max),
    cost: outcome.cost,
    ...(max > BigInt(selectorCost) && { create_errors: [`${field}: Forbidden: too complex, exceeds cost limit`] }),
  };
  if (!outcome.ok) return { ...about, error: outcome.error };
  if (typeof outcome.value === "boolean") return { ...about, matches: outcome.value };
  const name = typeNameOf(outcome.value);
  const cause = `unsupported native conversion from ${name} to 'bool'`;
  return { ...about, error: `CEL result of type ${name} could not be converted to bool: ${cause}` };
}
