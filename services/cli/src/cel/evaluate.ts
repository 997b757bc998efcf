import { renderPlain, renderValue } from "@orch/cel/cases/render.js";
import { parseType, typedValue } from "@orch/cel/cases/variables.js";
import { declaredType, type Type } from "@orch/cel/check/types.js";
import { analyze, estimateCost, makeProgram } from "@orch/cel/program.js";
import { viewOfJsonSchema } from "@orch/cel/schema/json-schema.js";
import type { Expr } from "@orch/cel/syntax/ast.js";
import { print } from "@orch/cel/syntax/print.js";
import type { Value } from "@orch/cel/values/value.js";
import type { Dialect } from "@orch/naming/naming.js";
import { readJson } from "@orch/status/read-json.js";
import { isObject, readDocument } from "./document.js";
import { subjectOf } from "./subject.js";
import { type LiveObject, Unusable, type World } from "./world.js";

export interface EvaluateOptions {
  readonly expression: string;
  readonly dialect: Dialect;
  readonly file?: string | undefined;
  readonly "old-file"?: string | undefined;
  readonly schema?: string | undefined;
  readonly root?: boolean | undefined;
  readonly var?: readonly string[] | undefined;
  readonly release?: string | undefined;
  readonly limit?: string | undefined;
  readonly explain?: boolean | undefined;
  /** In the place of the file and the schema. */
  readonly live?: LiveObject | undefined;
}

/** Checks and evaluates one expression and tells what it is, what it costs and what it may cost. */
export function evaluate(options: EvaluateOptions, world: World): number {
  const { expression, dialect } = options;
  const given = (options.var ?? []).map((text) => variableOf(text, dialect));
  const schema = options.schema === undefined ? undefined : readDocument(options.schema, world);
  if (schema !== undefined && !isObject(schema)) throw new Unusable(`${options.schema}: no schema`);
  const subject = subjectOf({
    dialect,
    view: options.live === undefined ? schema && viewOfJsonSchema(schema) : options.live.view,
    root: options.root ?? options.live?.isCustom,
    release: releaseOf(options.release),
    more: new Map(given.map(({ name, type }) => [name, type])),
  });
  const analysis = analyze(expression, subject.env);
  if (!analysis.ok) {
    world.print(analysis.display);
    return 1;
  }
  const { checked } = analysis;
  world.print(`type      ${declaredType(checked.type)}`);
  const { min, max } = estimateCost(checked, subject.env, subject.size);
  world.print(`estimate  ${min === max ? min : `${min} to ${max === 2n ** 64n - 1n ? "unbounded" : max}`}`);
  const seen: { readonly e: Expr; readonly value: Value }[] = [];
  const observe = (e: Expr, value: Value): void => void seen.push({ e, value });
  const made = makeProgram(expression, checked, { env: subject.env, ...(options.explain === true && { observe }) });
  if (!made.ok) {
    world.print(`error     ${made.display}`);
    return 1;
  }
  const load = (path: string | undefined): unknown => (path === undefined ? undefined : readDocument(path, world));
  const values = new Map(subject.bind(options.live?.object ?? load(options.file), load(options["old-file"])));
  for (const { name, value } of given) values.set(name, value);
  const outcome = made.program.run((name) => values.get(name), limitOf(options.limit));
  world.print(`cost      ${outcome.cost}`);
  if (options.explain === true) explain(seen, world);
  world.print(outcome.ok ? `value     ${show(outcome.value)}` : `error     ${outcome.error}`);
  return outcome.ok ? 0 : 1;
}

function releaseOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [major, minor] = text.split(".").map(Number);
  if (major !== 1 || minor === undefined || !Number.isInteger(minor)) throw new Unusable("--release is like 1.31");
  return minor;
}

function limitOf(text: string | undefined): { readonly limit?: number } {
  if (text === undefined) return {};
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 0) throw new Unusable("--limit is a number of units");
  return { limit };
}

function variableOf(
  text: string,
  dialect: Dialect,
): { readonly name: string; readonly type: Type; readonly value: Value } {
  const equals = text.indexOf("=");
  const colon = text.indexOf(":", equals);
  const type = parseType(text.slice(equals + 1, colon), dialect);
  if (equals < 1 || colon === -1 || type === undefined) throw new Unusable(`--var ${text}: write NAME=TYPE:JSON`);
  try {
    return { name: text.slice(0, equals), type, value: typedValue(type, readJson(text.slice(colon + 1)), dialect) };
  } catch {
    throw new Unusable(`--var ${text}: what follows the colon is no JSON of the type`);
  }
}

/** The longest text of a value that is shown in a line. */
const shownCharacters = 100;

function show(value: Value): string {
  const rendered = renderValue(value);
  const [kind = ""] = Object.keys(rendered);
  const plain = kind === "object" || kind === "map" || kind === "list" ? renderPlain(value) : rendered[kind];
  return JSON.stringify(plain) ?? "none";
}

/** Each part of the expression with its value, in the order in which they were found. */
function explain(seen: readonly { readonly e: Expr; readonly value: Value }[], world: World): void {
  for (const { e, value } of seen) {
    const part = partText(e);
    if (part === "") continue;
    const text = show(value);
    const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
    world.print(`  ${part}  =  ${shown}`);
  }
}

/** The text of a part; the parts that macros add have none. */
function partText(e: Expr): string {
  if (e.kind === "comprehension") return "";
  const text = print(e, new Map());
  return text.includes("__result__") || text.includes("@") ? "" : text;
}
