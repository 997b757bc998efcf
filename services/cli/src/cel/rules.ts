import { compileExpression, type Program } from "@orch/cel/program.js";
import { viewOfJsonSchema } from "@orch/cel/schema/json-schema.js";
import type { Dialect } from "@orch/naming/naming.js";
import { isObject, readDocument } from "./document.js";
import { type Subject, subjectOf } from "./subject.js";
import { Unusable, type World } from "./world.js";

interface Rule {
  readonly name: string;
  readonly program: Program;
}

/**
 * Runs the cases of a file of rules: every rule of a case holds, but for those that it names under `fails`, and those
 * that end in an error, which it names under `errors` with a part of the message.
 */
export function runRules(path: string, dialect: Dialect, world: World): number {
  const document = readDocument(path, world);
  if (!isObject(document)) throw new Unusable(`${path}: no rules`);
  const { schema, rules, cases, root } = document;
  if (schema !== undefined && !isObject(schema)) throw new Unusable(`${path}: schema is no object`);
  const subject = subjectOf({ dialect, view: schema && viewOfJsonSchema(schema), root: root === true });
  const compiled: Rule[] = [];
  for (const [i, rule] of listOf(rules, `${path}: rules`).entries()) {
    const name = String(rule["name"] ?? `rules[${i}]`);
    const made = compileExpression(String(rule["expression"] ?? rule["rule"] ?? ""), subject.env);
    if (!made.ok) {
      world.print(`${name}: ${made.display}`);
      return 1;
    }
    if (made.typeName !== "bool") throw new Unusable(`${path}: ${name} gives ${made.typeName}, not bool`);
    compiled.push({ name, program: made.program });
  }
  let held = 0;
  let differ = 0;
  for (const [i, one] of listOf(cases, `${path}: cases`).entries()) {
    const name = String(one["name"] ?? `cases[${i}]`);
    const wrong = runCase(one, { subject, rules: compiled });
    for (const line of wrong) world.print(`${name}: ${line}`);
    if (wrong.length === 0) held += 1;
    else differ += 1;
  }
  world.print(`${held} held, ${differ} differ`);
  return differ === 0 ? 0 : 1;
}

type Entry = { readonly [key: string]: unknown };

function listOf(value: unknown, what: string): readonly Entry[] {
  if (!Array.isArray(value) || !value.every(isObject)) throw new Unusable(`${what} is no list of objects`);
  return value;
}

function runCase(
  one: Entry,
  { subject, rules }: { readonly subject: Subject; readonly rules: readonly Rule[] },
): readonly string[] {
  const values = subject.bind(one["self"] ?? one["object"], one["oldSelf"] ?? one["oldObject"]);
  const fails = Array.isArray(one["fails"]) ? one["fails"].map(String) : [];
  const errors = isObject(one["errors"]) ? one["errors"] : {};
  return rules.flatMap(({ name, program }) => {
    const outcome = program.run((variable) => values.get(variable));
    const wanted = errors[name];
    if (!outcome.ok) {
      if (wanted !== undefined && outcome.error.includes(String(wanted))) return [];
      return [`${name}: expected ${wanted ?? (fails.includes(name) ? "false" : "true")}, got error: ${outcome.error}`];
    }
    if (wanted !== undefined) return [`${name}: expected error: ${String(wanted)}, got ${String(outcome.value)}`];
    const expected = !fails.includes(name);
    return outcome.value === expected ? [] : [`${name}: expected ${expected}, got ${String(outcome.value)}`];
  });
}
