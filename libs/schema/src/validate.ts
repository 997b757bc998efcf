import { enoughErrors } from "@orch/status/errors-of-each.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { jsonText } from "@orch/status/json-text.js";
import { isZero } from "./decode.js";
import { type Check, type Field, isObject, type JsonObject, type MessageType, type Type } from "./descriptor.js";
import { equal } from "./equal.js";
import { formatProblems } from "./formats/format.js";
import type { Integer64 } from "./integer64.js";
import { type Path, pathText } from "./path.js";
import { createStops } from "./reach.js";
import { type ValidateOptions, validateCustom } from "./structural/validate-custom.js";

const checkedFields = createStops((f) => f.check !== undefined || f.values !== undefined);
const frozenFields = createStops((f) => f.check?.immutable === true);

/**
 * Every break of the type's own rules (checks and closed sets of values), in the order of the fields; of a custom
 * resource those of its schema, of which an `old` state excuses what it had. The object has been decoded and defaulted.
 * What depends on several fields is not told here.
 */
export function validate(type: MessageType, object: JsonObject, options?: ValidateOptions): FieldError[] {
  if (type.rules !== undefined) return validateCustom(type, object, options);
  const errors: FieldError[] = [];
  message(errors, type, object, options?.at);
  return errors;
}

function message(errors: FieldError[], type: MessageType, object: JsonObject, at: Path | undefined): void {
  const passed = type.firstOf === undefined ? undefined : behindFirst(type.firstOf, object);
  for (const { field, wanted, below } of checkedFields(type)) {
    if (passed?.includes(field.name) === true) continue;
    const value = object[field.name];
    const required = field.check?.required;
    if (required !== undefined && isEmpty(field, value)) {
      const path = pathText({ up: at, step: field.name });
      errors.push(fieldError.required(path, required === true ? "" : required));
      if (field.check?.judgesEmpty === true) single(errors, field.check, value ?? "", { up: at, step: field.name });
    } else if (value === undefined && field.required && field.check?.range !== undefined) {
      // A number that must be there is zero where it is not, as Go reads it.
      numbers(errors, field.check, 0, { up: at, step: field.name });
    } else if (value === undefined && field.check?.present === true) {
      errors.push(fieldError.required(pathText({ up: at, step: field.name })));
    } else if (value !== undefined) {
      const path = { up: at, step: field.name };
      if (wanted) fieldValue(errors, field, value, path);
      if (below && field.check?.draft !== true) deeper(errors, field.type, value, path);
    }
  }
}

function behindFirst(names: readonly string[], object: JsonObject): readonly string[] {
  return names.filter((name) => object[name] !== undefined).slice(1);
}

function isEmpty(field: Field, value: unknown): boolean {
  return value === undefined || (field.type.kind !== "message" && field.type.kind !== "bool" && isZero(value));
}

/** What is below; of an object with very many errors the rest is not looked at. */
function deeper(errors: FieldError[], type: Type, value: unknown, at: Path): void {
  if (errors.length >= enoughErrors) return;
  if (type.kind === "message" && isObject(value)) message(errors, type, value, at);
  else if (type.kind === "list" && Array.isArray(value)) {
    for (const [i, item] of value.entries()) deeper(errors, type.item, item, { up: at, step: i });
  } else if (type.kind === "map" && isObject(value)) {
    for (const [key, item] of Object.entries(value)) deeper(errors, type.value, item, { up: at, step: `[${key}]` });
  }
}

function fieldValue(errors: FieldError[], field: Field, value: unknown, path: Path): void {
  const check = field.check;
  if (meansAbsence(field, value)) return;
  if (check !== undefined) single(errors, check, value, path);
  if (field.values !== undefined && check?.open !== true) members(errors, field.values, value, path);
}

/** A zero that says no more than its absence is not a value to check. */
function meansAbsence(field: Field, value: unknown): boolean {
  if (field.pointer || field.required || field.check?.min !== undefined || !isZero(value)) return false;
  return field.type.kind !== "list" && field.type.kind !== "intOrString";
}

function members(errors: FieldError[], values: readonly string[], value: unknown, path: Path): void {
  if (errors.length >= enoughErrors) return;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) members(errors, values, item, { up: path, step: i });
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) members(errors, values, item, { up: path, step: `[${key}]` });
  } else if (typeof value === "string" && !values.includes(value)) {
    errors.push(fieldError.notSupported(pathText(path), value, values));
  }
}

/** `isPart`: of a list or a map, where an empty text is a value and no absence. */
function single(errors: FieldError[], check: Check, value: unknown, path: Path, isPart = false): void {
  if (
    check.format !== undefined &&
    (isPart || check.judgesEmpty === true || value !== "" || check.format === "labelValue")
  ) {
    for (const problem of formatProblems(check.format, value)) {
      errors.push(fieldError.invalid(pathText(path), value, problem));
    }
  }
  if (typeof value === "number" || typeof value === "bigint") numbers(errors, check, value, path);
  else if (typeof value === "string") texts(errors, check, value, path);
  else if (Array.isArray(value)) items(errors, check, value, path);
  else if (isObject(value)) entries(errors, check, value, path);
}

function numbers(errors: FieldError[], check: Check, value: Integer64, path: Path): void {
  const wrong = (detail: string) => errors.push(fieldError.invalid(pathText(path), value, detail));
  if (check.range !== undefined && (value < check.range[0] || value > check.range[1])) {
    wrong(`must be between ${check.range[0]} and ${check.range[1]}, inclusive`);
  }
  if (check.min !== undefined && value < check.min) wrong(`must be greater than or equal to ${check.min}`);
  if (check.above !== undefined && value <= check.above) wrong(`must be greater than ${check.above}`);
}

function texts(errors: FieldError[], check: Check, value: string, path: Path): void {
  if (check.oneOf !== undefined && !check.oneOf.includes(value)) {
    errors.push(fieldError.notSupported(pathText(path), value, check.oneOf));
  }
  if (check.maxLength !== undefined && value.length > check.maxLength) {
    errors.push(fieldError.invalid(pathText(path), value, `must be no more than ${check.maxLength} characters`));
  }
  if (check.maxBytes !== undefined && Buffer.byteLength(value) > check.maxBytes) {
    errors.push(fieldError.tooLong(pathText(path), check.maxBytes));
  }
}

function items(errors: FieldError[], check: Check, list: readonly unknown[], path: Path): void {
  if (check.maxItems !== undefined && list.length > check.maxItems) {
    errors.push(fieldError.tooMany(pathText(path), list.length, check.maxItems));
    return;
  }
  if (check.minItems !== undefined && list.length < check.minItems) {
    errors.push(fieldError.required(pathText(path), `must have at least ${check.minItems} items`));
  }
  if (check.unique !== undefined) duplicates(errors, check.unique, list, path);
  if (check.items !== undefined) {
    for (const [i, item] of list.entries()) {
      if (errors.length >= enoughErrors) return;
      single(errors, check.items, item, { up: path, step: i }, true);
    }
  }
}

function duplicates(
  errors: FieldError[],
  unique: true | readonly string[],
  list: readonly unknown[],
  path: Path,
): void {
  const seen = new Set<string>();
  for (const [i, item] of list.entries()) {
    if (errors.length >= enoughErrors) return;
    const part = keyOf(unique, item);
    if (part === undefined) continue;
    const text = jsonText(part);
    if (seen.has(text)) errors.push(duplicate(unique, item, { up: path, step: i }));
    seen.add(text);
  }
}

function keyOf(unique: true | readonly string[], item: unknown): unknown {
  if (unique === true || !isObject(item)) return item;
  const values = unique.map((name) => item[name] ?? "");
  // An absent or empty name is another check's business.
  return unique.length > 1 || values[0] !== "" || item[unique[0] ?? ""] !== undefined ? values : undefined;
}

function duplicate(unique: true | readonly string[], item: unknown, path: Path): FieldError {
  const [only] = unique === true ? [] : unique;
  if (unique === true || unique.length !== 1 || only === undefined || !isObject(item)) {
    return fieldError.duplicate(pathText(path), item);
  }
  return fieldError.duplicate(pathText({ up: path, step: only }), item[only]);
}

function entries(errors: FieldError[], check: Check, map: JsonObject, path: Path): void {
  for (const [key, value] of Object.entries(map)) {
    if (errors.length >= enoughErrors) return;
    if (check.keys !== undefined) single(errors, check.keys, key, path, true);
    if (check.items !== undefined) single(errors, check.items, value, path, true);
  }
}

/** Changes of fields that may not change, by their `immutable` check; fields inside lists are not looked at. */
export function validateImmutable(type: MessageType, object: JsonObject, old: JsonObject, at?: Path): FieldError[] {
  const errors: FieldError[] = [];
  for (const { field, wanted, below } of frozenFields(type)) {
    const value = object[field.name];
    const before = old[field.name];
    const path = { up: at, step: field.name };
    if (wanted && !equal(field.type, value, before)) {
      errors.push(fieldError.invalid(pathText(path), value ?? shownAbsence(field), "field is immutable"));
    }
    if (!below || field.type.kind !== "message") continue;
    const [now, then] = [structure(field, value), structure(field, before)];
    if (now !== undefined && then !== undefined) errors.push(...validateImmutable(field.type, now, then, path));
  }
  return errors;
}

/** What is there of a message: all of it, empty, where only a pointer could be absent. */
function structure(field: Field, value: unknown): JsonObject | undefined {
  if (isObject(value)) return value;
  return value === undefined && !field.pointer ? {} : undefined;
}

/** What the reference shows of a value that was taken away: a text in place of a pointer, else the type's zero. */
function shownAbsence({ type, pointer }: Field): unknown {
  if (pointer) return "null";
  switch (type.kind) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
      return 0;
    default:
      return null;
  }
}
