import { isObject } from "@orch/schema/descriptor.js";
import { showValue } from "@orch/status/show-value.js";
import { showPathElement } from "../fields/path-element.js";
import { elementOf, TypedError } from "./list-items.js";
import type { ListForm, MapForm, ScalarForm, Schema } from "./schema.js";

interface Problem {
  path: string;
  readonly message: string;
}

/**
 * What is wrong with a tree that is to be of a type, in the reference's words (`.spec: field not declared in schema`);
 * undefined for nothing. Sets and maps may hold an item twice only where `duplicates` says so.
 */
export function problemsOf(
  schema: Schema,
  value: unknown,
  { duplicates }: { readonly duplicates: boolean },
): string | undefined {
  const problems: Problem[] = [];
  checkValue({ problems, duplicates }, schema, value);
  if (problems.length === 0) return undefined;
  const texts = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  if (problems.length === maxProblems) texts.push("and maybe more");
  return texts.length === 1 ? texts[0] : ["errors:", ...texts.map((text) => `  ${text}`)].join("\n");
}

/** Throws TypedError for what {@link problemsOf} finds. */
export function mustFit(schema: Schema, value: unknown, options: { readonly duplicates: boolean }): void {
  const wrong = problemsOf(schema, value, options);
  if (wrong !== undefined) throw new TypedError(wrong);
}

const known = new WeakMap<Schema, boolean>();

/**
 * Whether a decoded object can have an item that can not be told apart: there is a list whose items may leave out a
 * key, or sets of which nothing is known but by the schema.
 */
export function mayMisfit(schema: Schema): boolean {
  let found = known.get(schema);
  if (found === undefined) {
    found = reachesUnsureList(schema, new Set());
    known.set(schema, found);
  }
  return found;
}

function reachesUnsureList(schema: Schema, seen: Set<Schema>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  const { list, map } = schema;
  if (list !== undefined && !list.atomic && !list.keys.every((key) => list.item.map?.defaultOf(key) !== undefined)) {
    return true;
  }
  if (list !== undefined && reachesUnsureList(list.item, seen)) return true;
  if (map === undefined) return false;
  const below = map.element === undefined ? [] : [map.element];
  return [...map.fields.values(), ...below].some((s) => reachesUnsureList(s, seen));
}

interface Check {
  readonly problems: Problem[];
  readonly duplicates: boolean;
}

function checkValue(check: Check, schema: Schema, value: unknown): void {
  if (value === null || value === undefined || check.problems.length === maxProblems) return;
  if (Array.isArray(value)) {
    if (schema.list !== undefined) checkList(check, schema.list, value);
    else mismatch(check, schema, value);
  } else if (isObject(value)) {
    if (schema.map !== undefined) checkMap(check, schema.map, value);
    else mismatch(check, schema, value);
  } else if (schema.scalar === undefined || !fits(schema.scalar, value)) mismatch(check, schema, value);
}

function mismatch(check: Check, schema: Schema, value: unknown): void {
  check.problems.push({ path: "", message: `expected ${expected(schema)}, got ${got(schema, value)}` });
}

function fits(form: ScalarForm, value: unknown): boolean {
  switch (form) {
    case "numeric":
      return typeof value === "number" || typeof value === "bigint";
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "untyped":
      return true;
  }
}

const expectations: Readonly<Record<ScalarForm, string>> = {
  numeric: "numeric (int or float)",
  string: "string",
  boolean: "boolean",
  untyped: "any scalar",
};

function expected(schema: Schema): string {
  if (schema.map !== undefined) return "map";
  return schema.scalar === undefined ? "list" : expectations[schema.scalar];
}

/** Problems that are looked for: each is carried up through all that is around it. */
const maxProblems = 100;
const maxShown = 200;

/** The value, cut where it is long; for what should be a number only what it is. */
function got(schema: Schema, value: unknown): string {
  if (schema.scalar === "numeric") return Array.isArray(value) ? "list" : isObject(value) ? "map" : typeof value;
  const text = showValue(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

/** What `walk` finds stands below `step`. */
function below(check: Check, step: () => string, walk: () => void): void {
  const before = check.problems.length;
  walk();
  for (const problem of check.problems.slice(before)) problem.path = step() + problem.path;
}

function checkList(check: Check, list: ListForm, items: readonly unknown[]): void {
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const element = list.atomic ? `i:${i}` : elementOf(list, item);
    if (typeof element !== "string") {
      // What is below an item without a path can not be told.
      check.problems.push({ path: "", message: `element ${i}: ${element.wrong}` });
      return;
    }
    if (check.problems.length === maxProblems) return;
    if (seen.has(element) && !check.duplicates) {
      check.problems.push({ path: "", message: `duplicate entries for key ${showPathElement(element)}` });
    }
    if (!list.atomic) seen.add(element);
    below(
      check,
      () => showPathElement(element),
      () => checkValue(check, list.item, item),
    );
  }
}

function checkMap(check: Check, map: MapForm, object: { readonly [name: string]: unknown }): void {
  for (const name of Object.keys(object)) {
    const schema = map.fields.get(name) ?? map.element;
    if (schema === undefined) {
      check.problems.push({ path: `.${name}`, message: "field not declared in schema" });
      return;
    }
    below(
      check,
      () => `.${name}`,
      () => checkValue(check, schema, object[name]),
    );
  }
}
