import { showValue } from "@orch/status/show-value.js";
import {
  type EitherType,
  type Field,
  type Forms,
  isObject,
  type JsonObject,
  type ListType,
  type MapType,
  type MessageType,
  type Type,
} from "./descriptor.js";
import { formatDuration, parseDuration } from "./formats/duration.js";
import { canonicalQuantity } from "./formats/quantity.js";
import { canonicalMicroTime, canonicalTime } from "./formats/time.js";
import type { Integer64 } from "./integer64.js";

/** A value of the wrong type. `message` starts with its path: `data.k: expected string, got number`. */
export class DecodeError extends Error {
  readonly path: string;

  constructor(path: string, what: string) {
    super(path === "" ? what : `${path}: ${what}`);
    this.name = "DecodeError";
    this.path = path;
  }
}

/** Fields that answers name; release 1.32 names no more. */
export const maxUnknown = 100;

export interface Decoded {
  readonly value: JsonObject;
  /** Paths of the first {@link maxUnknown} fields that the type does not know, as met: `spec.containers[0].bar`. */
  readonly unknown: readonly string[];
}

/**
 * Checks a parsed JSON tree against a type and gives the tree that the rest of the server works on:
 * without unknown fields, nulls and zero values that mean absence, with times, durations and
 * quantities in canonical form. What needs no change is shared with the input, which is never written to.
 *
 * Throws {@link DecodeError}. Names are case-sensitive. Serves rules: Behavior rules, 3.
 */
export function decode(type: MessageType, tree: unknown): Decoded {
  const walk: Walk = { path: [], unknown: [] };
  const value = messageOf(walk, type, tree);
  return isObject(value) ? { value, unknown: walk.unknown } : mismatch(walk, "object", value);
}

export interface DecodedValue {
  readonly value: unknown;
  readonly unknown: readonly string[];
}

/** {@link decode} of a value of any type. @throws DecodeError */
export function decodeValue(type: Type, value: unknown): DecodedValue {
  const walk: Walk = { path: [], unknown: [] };
  return { value: typedValue(walk, type, value), unknown: walk.unknown };
}

interface Walk {
  /** Names and list positions from the root to the value at hand. */
  readonly path: (string | number)[];
  readonly unknown: string[];
}

/** Characters of a path that answers show: a body may have names of a megabyte, and a hundred thousand fields below one. */
const longestPath = 1024;

/** `spec.containers[0].image`, cut where it is very long. */
export function pathText(path: readonly (string | number)[]): string {
  let text = "";
  for (const step of path) {
    if (text.length > longestPath) return text;
    text = extendedPath(text, step);
  }
  return text;
}

/** A path of {@link pathText} and what stands below it. */
export function extendedPath(path: string, step: string | number): string {
  if (path.length > longestPath) return path;
  if (typeof step === "number") return `${path}[${step}]`;
  const name = step.length > longestPath ? `${step.slice(0, longestPath)}…` : step;
  return path === "" ? name : `${path}.${name}`;
}

function fail(walk: Walk, what: string): never {
  throw new DecodeError(pathText(walk.path), what);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "bigint") return "number";
  return Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
}

function mismatch(walk: Walk, expected: string, value: unknown): never {
  return fail(walk, `expected ${expected}, got ${typeName(value)}`);
}

/** A value that does not fit its type: of a custom resource it stays, and validation refuses it. */
function misfit(walk: Walk, type: Type, expected: string, value: unknown): unknown {
  if (type.rules === undefined) return mismatch(walk, expected, value);
  return type.rules.strict
    ? fail(walk, `Invalid value: ${showValue(value)}: must be a ${expected}`)
    : pruned(walk, value);
}

/** A value whose shape its schema knows nothing of: no name in it is known. */
function pruned(walk: Walk, value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((item, i) => {
      walk.path.push(i);
      const kept = pruned(walk, item);
      walk.path.pop();
      return kept;
    });
  }
  if (!isObject(value)) return value;
  for (const name of Object.keys(value)) {
    if (walk.unknown.length < maxUnknown) walk.unknown.push(pathText([...walk.path, name]));
  }
  return {};
}

/** Sets an own property whatever its name: `__proto__` too. */
export function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else target[name] = value;
}

/** The own properties of `source` that come before `stop`, those already seen to be kept as they are. */
function copyBefore(source: JsonObject, stop: string): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(source)) {
    if (name === stop) break;
    setOwn(copy, name, source[name]);
  }
  return copy;
}

function messageOf(walk: Walk, type: MessageType, tree: unknown): unknown {
  if (!isObject(tree)) return misfit(walk, type, "object", tree);
  const byName = type.byName;
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(tree)) {
    const given = tree[name];
    const field = byName.get(name);
    walk.path.push(name);
    const value = field === undefined ? unknownField(walk, type, given) : fieldOf(walk, field, given);
    walk.path.pop();
    if (copy === undefined) {
      if (value === given) continue;
      copy = copyBefore(tree, name);
    }
    if (value !== undefined) setOwn(copy, name, value);
  }
  return copy ?? tree;
}

function unknownField(walk: Walk, type: MessageType, given: unknown): unknown {
  if (type.unknown === "keep") return given;
  if (walk.unknown.length < maxUnknown) walk.unknown.push(pathText(walk.path));
  return undefined;
}

/** The instant that the reference keeps for an absent one. */
const zeroTime = "0001-01-01T00:00:00Z";

/** The field's value; undefined when it means absence. */
function fieldOf(walk: Walk, field: Field, given: unknown): unknown {
  if (given === null || given === undefined) return given === null ? nullField(field) : undefined;
  const value = typedValue(walk, field.type, given);
  if (field.dropsZero && (isZero(value) || (value === "0s" && field.type.kind === "duration"))) return undefined;
  return value === zeroTime && field.type.kind === "time" && !field.pointer ? undefined : value;
}

/** What a null is: absence, but for a list that must be named and for what may be null in a custom resource. */
function nullField(field: Field): unknown {
  if (field.check?.present === true) return [];
  return field.nullable && field.type.rules !== undefined ? null : undefined;
}

/** `""`, 0, false, an empty list or object. */
export function isZero(value: unknown): boolean {
  if (typeof value !== "object") return value === "" || value === 0 || value === false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _name in value) return false;
  return true;
}

function typedValue(walk: Walk, type: Type, value: unknown): unknown {
  switch (type.kind) {
    case "string":
      return typeof value === "string" ? value : misfit(walk, type, "string", value);
    case "message":
      return messageOf(walk, type, value);
    case "list":
      return listOf(walk, type, value);
    case "map":
      return mapOf(walk, type, value);
    case "bool":
      return typeof value === "boolean" ? value : misfit(walk, type, "bool", value);
    case "int32":
      return integerOf(walk, value, "int32");
    case "int64":
      return type.rules === undefined ? integerOf(walk, value, "int64") : pruned(walk, value);
    case "double":
      return type.rules === undefined ? doubleOf(walk, value) : pruned(walk, value);
    case "intOrString":
      if (typeof value === "string") return value;
      if (type.rules !== undefined) return pruned(walk, value);
      return integerOf(walk, value, "int32", "int or string");
    case "fieldsV1":
      return isObject(value) ? value : mismatch(walk, "object", value);
    case "any":
      return type.forms === undefined ? value : formOf(walk, type.forms, value);
    case "raw":
      return value;
    case "either":
      return eitherOf(walk, type, value);
    default:
      return textOf(walk, type.kind, value);
  }
}

/** A value of any type, looked into where it is an object or a list. */
function formOf(walk: Walk, { object, list }: Forms, value: unknown): unknown {
  if (Array.isArray(value)) return list === undefined ? value : typedValue(walk, list, value);
  return isObject(value) && object !== undefined ? typedValue(walk, object, value) : value;
}

function listOf(walk: Walk, type: ListType, list: unknown): unknown {
  if (!Array.isArray(list)) return misfit(walk, type, "array", list);
  const { item } = type;
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const given: unknown = list[i];
    walk.path.push(i);
    const value = elementOf(walk, item, given);
    walk.path.pop();
    if (copy !== undefined) copy.push(value);
    else if (value !== given) copy = [...list.slice(0, i), value];
  }
  return copy ?? list;
}

/** A value in a list or a map; null stays where it is the zero value (times), and in a custom resource. */
function elementOf(walk: Walk, type: Type, given: unknown): unknown {
  const value = given ?? (type.rules === undefined ? zeroOf(type) : null);
  return value === null ? null : typedValue(walk, type, value);
}

/** Whether a null in a map says nothing: it may not be null, and no default will stand for it. */
function isAbsence(value: unknown, { rules }: Type): boolean {
  return value === null && rules !== undefined && rules.schema.nullable !== true && rules.schema.default === undefined;
}

/** What a null stands for where an absence is not possible: in a list and in a map. */
function zeroOf(type: Type): unknown {
  switch (type.kind) {
    case "message":
    case "map":
    case "fieldsV1":
      return {};
    case "list":
      return [];
    case "int32":
    case "int64":
    case "double":
    case "intOrString":
      return 0;
    case "bool":
      return false;
    case "quantity":
      return "0";
    case "string":
    case "bytes":
      return "";
    default:
      return null;
  }
}

function mapOf(walk: Walk, mapType: MapType, map: unknown): unknown {
  if (!isObject(map)) return misfit(walk, mapType, "object", map);
  const type = mapType.value;
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(map)) {
    const given = map[name];
    if (typeof given === "string" && type.kind === "string") {
      if (copy !== undefined) setOwn(copy, name, given);
      continue;
    }
    walk.path.push(name);
    const value = elementOf(walk, type, given);
    walk.path.pop();
    const dropped = value === null && isAbsence(value, type);
    if (copy === undefined) {
      if (value === given && !dropped) continue;
      copy = copyBefore(map, name);
    }
    if (!dropped) setOwn(copy, name, value);
  }
  return copy ?? map;
}

function integerOf(
  walk: Walk,
  value: unknown,
  type: "int32" | "int64",
  expected = type === "int32" ? "int32" : "int64",
): Integer64 {
  if (typeof value === "bigint") {
    // Reading makes one only of what has 64 bits.
    return type === "int64" ? value : fail(walk, `expected ${expected}, got number ${value}: out of range`);
  }
  if (typeof value !== "number") return mismatch(walk, expected, value);
  if (!Number.isInteger(value)) return fail(walk, `expected ${expected}, got number ${value}`);
  if (type === "int32" ? value < -2147483648 || value > 2147483647 : !Number.isSafeInteger(value)) {
    return fail(walk, `expected ${expected}, got number ${value}: out of range`);
  }
  // -0 is written as 0.
  return value === 0 ? 0 : value;
}

function doubleOf(walk: Walk, value: unknown): number {
  const number = typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : mismatch(walk, "number", value);
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

function textOf(walk: Walk, kind: "bytes" | "time" | "microTime" | "duration" | "quantity", value: unknown): string {
  if (kind === "quantity" && (typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value)))) {
    value = String(value);
  }
  if (typeof value !== "string") return mismatch(walk, kind === "quantity" ? "quantity" : "string", value);
  switch (kind) {
    case "bytes": {
      const text = value.includes("\n") || value.includes("\r") ? value.replace(/[\r\n]/g, "") : value;
      return text.length % 4 === 0 && base64.test(text) ? text : fail(walk, "illegal base64 data");
    }
    case "time":
      return canonicalTime(value) ?? fail(walk, `${showValue(value)} is not an RFC 3339 time`);
    case "microTime":
      return canonicalMicroTime(value) ?? fail(walk, `${showValue(value)} is not an RFC 3339 time`);
    case "duration": {
      const nanoseconds = parseDuration(value);
      if (nanoseconds === undefined) return fail(walk, `invalid duration ${showValue(value)}`);
      return formatDuration(nanoseconds);
    }
    case "quantity": {
      const canonical = canonicalQuantity(value.trim());
      return "text" in canonical ? canonical.text : fail(walk, canonical.wrong);
    }
  }
}

function eitherOf(walk: Walk, type: EitherType, value: unknown): unknown {
  const fitting = type.alternatives.find((a) => hasShape(a.type, value));
  if (fitting === undefined) return mismatch(walk, type.name, value);
  const found = walk.unknown.length;
  const decoded = typedValue(walk, fitting.type, value);
  // The reference drops unknown fields of such a value, and tells nobody.
  walk.unknown.length = found;
  return decoded;
}

/** Whether a value is of the bare JSON form of an alternative of an {@link EitherType}. */
export function hasShape(type: Type, value: unknown): boolean {
  switch (type.kind) {
    case "list":
      return Array.isArray(value);
    case "message":
    case "map":
      return isObject(value);
    case "bool":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string";
    default:
      return typeof value === "number" || typeof value === "bigint";
  }
}
