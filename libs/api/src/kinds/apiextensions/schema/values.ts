import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { jsonKey } from "@orch/schema/equal.js";
import type { Integer64 } from "@orch/schema/integer64.js";
import { type Path, pathText } from "@orch/schema/validate.js";
import { enoughErrors } from "@orch/status/errors-of-each.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { jsonText } from "@orch/status/json-text.js";
import { intOrString, itemsOf, type JsonSchema, propertyOf, valuesOf } from "./json-schema.js";

/**
 * Everything that keeps a value from being of a schema; `at` is the value's own path. `pattern`, `format` and the rules
 * of the expression language are not looked at here.
 */
export function validateValue(value: unknown, schema: JsonSchema, at: string): readonly FieldError[] {
  const walk: Walk = { root: at, errors: [], left: { steps: maxSteps } };
  check(walk, value, schema, undefined);
  if (walk.left.steps < 0) return [fieldError.forbidden(at, "takes too long to be held against its schema")];
  return walk.errors;
}

/** Values that are held against a schema: a thousand alternatives may each be for every item of a great list. */
const maxSteps = 1_000_000;

interface Walk {
  readonly root: string;
  readonly errors: FieldError[];
  /** What of {@link maxSteps} is left, of the whole walk. */
  readonly left: { steps: number };
}

/** Where a value stands below the root, as its errors name it. */
function nameOf(at: Path | undefined): string {
  return at === undefined ? "" : pathText(at);
}

function fieldOf({ root }: Walk, at: Path | undefined): string {
  const name = nameOf(at);
  return name === "" ? root : name.startsWith("[") || root === "" ? root + name : `${root}.${name}`;
}

function wrong(walk: Walk, at: Path | undefined, value: unknown, must: string): void {
  walk.errors.push(fieldError.invalid(fieldOf(walk, at), value, `${nameOf(at)} in body ${must}`));
}

function check(walk: Walk, value: unknown, schema: JsonSchema, at: Path | undefined): void {
  if (walk.left.steps-- <= 0 || walk.errors.length >= enoughErrors) return;
  if (value === null && schema.nullable === true) return;
  const types = schema[intOrString] === true ? ["integer", "string"] : schema.type === undefined ? [] : [schema.type];
  const type = typeOf(value);
  if (types.length > 0 && !types.some((wanted) => wanted === type || (wanted === "number" && type === "integer"))) {
    const detail = `${nameOf(at)} in body must be of type ${types.join(",")}: ${JSON.stringify(type)}`;
    walk.errors.push(fieldError.typeInvalid(fieldOf(walk, at), type, detail));
    return;
  }
  if (schema.enum !== undefined) {
    const { keys, shown } = membersOf(schema.enum);
    if (!keys.has(jsonKey(value))) walk.errors.push(fieldError.notSupported(fieldOf(walk, at), value, shown));
  }
  if (typeof value === "number" || typeof value === "bigint") checkNumber(walk, value, schema, at);
  else if (typeof value === "string") checkText(walk, value, schema, at);
  else if (Array.isArray(value)) checkList(walk, value, schema, at);
  else if (isObject(value)) checkObject(walk, value, schema, at);
  checkJunctions(walk, value, schema, at);
}

interface Members {
  readonly keys: ReadonlySet<string>;
  readonly shown: readonly string[];
}

const knownMembers = new WeakMap<readonly unknown[], Members>();

/** The members of an enumeration, worked out once: a list may have as many items as that has members. */
function membersOf(members: readonly unknown[]): Members {
  let known = knownMembers.get(members);
  if (known === undefined) {
    const shown = members.map((member) => (typeof member === "string" ? member : jsonText(member)));
    known = { keys: new Set(members.map(jsonKey)), shown };
    knownMembers.set(members, known);
  }
  return known;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function checkNumber(walk: Walk, value: Integer64, schema: JsonSchema, at: Path | undefined): void {
  const { maximum, exclusiveMaximum = false, minimum, exclusiveMinimum = false, multipleOf } = schema;
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    wrong(walk, at, value, `should be less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`);
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    wrong(walk, at, value, `should be greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`);
  }
  if (multipleOf !== undefined && multipleOf > 0 && !isMultiple(value, multipleOf)) {
    wrong(walk, at, value, `should be a multiple of ${multipleOf}`);
  }
}

function isMultiple(value: Integer64, of: number): boolean {
  if (typeof value === "bigint" && Number.isInteger(of)) return value % BigInt(of) === 0n;
  return Number.isInteger(Number(value) / of);
}

function checkText(walk: Walk, value: string, { maxLength, minLength }: JsonSchema, at: Path | undefined): void {
  // Lengths count characters, not the halves that JavaScript makes of some.
  const length = maxLength === undefined && minLength === undefined ? 0 : [...value].length;
  if (maxLength !== undefined && length > maxLength) {
    walk.errors.push(fieldError.tooLong(fieldOf(walk, at), maxLength));
  }
  if (minLength !== undefined && length < minLength) {
    wrong(walk, at, value, `should be at least ${minLength} chars long`);
  }
}

function checkList(walk: Walk, list: readonly unknown[], schema: JsonSchema, at: Path | undefined): void {
  const { maxItems, minItems } = schema;
  if (maxItems !== undefined && list.length > maxItems) {
    walk.errors.push(fieldError.tooMany(fieldOf(walk, at), list.length, maxItems));
  }
  if (minItems !== undefined && list.length < minItems) {
    wrong(walk, at, list.length, `should have at least ${minItems} items`);
  }
  const items = itemsOf(schema);
  if (items === undefined) return;
  for (const [i, item] of list.entries()) check(walk, item, items, { up: at, step: i });
}

function checkObject(walk: Walk, object: JsonObject, schema: JsonSchema, at: Path | undefined): void {
  const { maxProperties, minProperties, required = [] } = schema;
  const names = Object.keys(object);
  if (maxProperties !== undefined && names.length > maxProperties) {
    walk.errors.push(fieldError.tooMany(fieldOf(walk, at), names.length, maxProperties));
  }
  if (minProperties !== undefined && names.length < minProperties) {
    wrong(walk, at, names.length, `should have at least ${minProperties} properties`);
  }
  for (const name of required) {
    if (!Object.hasOwn(object, name)) walk.errors.push(fieldError.required(fieldOf(walk, { up: at, step: name })));
  }
  const values = valuesOf(schema);
  for (const name of names) {
    const below = propertyOf(schema, name) ?? values;
    if (below !== undefined) check(walk, object[name], below, { up: at, step: name });
  }
}

function checkJunctions(walk: Walk, value: unknown, schema: JsonSchema, at: Path | undefined): void {
  const fits = (narrowing: JsonSchema): boolean => {
    const inner: Walk = { root: walk.root, errors: [], left: walk.left };
    check(inner, value, narrowing, at);
    return inner.errors.length === 0;
  };
  const broken = (detail: string): void => {
    walk.errors.push(fieldError.invalid(walk.root, "", `${JSON.stringify(nameOf(at))} must ${detail}`));
  };
  for (const narrowing of schema.allOf ?? []) check(walk, value, narrowing, at);
  if (schema.anyOf !== undefined && !schema.anyOf.some(fits)) broken("validate at least one schema (anyOf)");
  if (schema.oneOf !== undefined) {
    const count = schema.oneOf.filter(fits).length;
    const found = count === 0 ? "none valid" : `${count} valid alternatives`;
    if (count !== 1) broken(`validate one and only one schema (oneOf). Found ${found}`);
  }
  if (schema.not !== undefined && fits(schema.not)) broken("not validate the schema (not)");
}
