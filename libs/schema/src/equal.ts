import { jsonText } from "@orch/status/json-text.js";
import { isZero } from "./decode.js";
import { isObject, type MessageType, type Type } from "./descriptor.js";
import { compareQuantities } from "./formats/quantity.js";

/**
 * Whether two decoded values of a type mean the same: nothing and empty are equal (but not for a
 * pointer: an empty `emptyDir` is not an absent one), quantities are compared by value.
 */
export function equal(type: Type, a: unknown, b: unknown): boolean {
  // In a custom resource nothing, null and empty differ.
  return type.rules === undefined ? same(type, a, b) : equalJson(a, b);
}

function same(type: Type, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  switch (type.kind) {
    case "message":
      return isObject(a) && isObject(b) ? equalMessages(type, a, b) : false;
    case "list":
      return equalLists(type.item, a ?? [], b ?? []);
    case "map":
      return equalMaps(type.value, a ?? {}, b ?? {});
    case "quantity":
      return typeof a === "string" && typeof b === "string" && compareQuantities(a, b) === 0;
    case "any":
    case "raw":
    case "fieldsV1":
    case "either":
      return equalJson(a, b);
    default:
      return false;
  }
}

function equalMessages(type: MessageType, a: object, b: object): boolean {
  for (const field of type.byName.values()) {
    const x: unknown = Reflect.get(a, field.name);
    const y: unknown = Reflect.get(b, field.name);
    if (x === y) continue;
    if (x !== undefined && y !== undefined) {
      if (!same(field.type, x, y)) return false;
    } else if (!meansAbsence(field.type, field.pointer, x ?? y)) return false;
  }
  return true;
}

/** Whether a value says no more than its absence. */
function meansAbsence(type: Type, pointer: boolean, value: unknown): boolean {
  if (type.kind === "list" || type.kind === "map") return isZero(value);
  if (pointer) return false;
  return type.kind === "message" ? equalMessages(type, isObject(value) ? value : {}, {}) : isZero(value);
}

function equalLists(item: Type, a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((x, i) => same(item, x, b[i]));
}

function equalMaps(value: Type, a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && same(value, a[name], b[name]));
}

/**
 * A text that two JSON values have in common if and only if {@link equalJson} holds for them: a set of such texts tells at
 * once whether a value is among a thousand others. For values whose depth the codecs have bounded.
 */
export function jsonKey(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonKey).join(",")}]`;
  if (!isObject(value)) return value === undefined ? "undefined" : jsonText(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${jsonKey(value[name])}`).join(",")}}`;
}

/** Deep equality of JSON values, whatever their depth. `counted` is told how many members of `a` were looked at. */
export function equalJson(a: unknown, b: unknown, counted?: (members: number) => void): boolean {
  const pending: [unknown, unknown][] = [[a, b]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [x, y] = pair;
    if (x === y) continue;
    if (Array.isArray(x) && Array.isArray(y)) {
      if (x.length !== y.length) return false;
      for (const [i, item] of x.entries()) pending.push([item, y[i]]);
    } else if (isObject(x) && isObject(y)) {
      const names = Object.keys(x);
      counted?.(names.length);
      if (names.length !== Object.keys(y).length) return false;
      for (const name of names) {
        if (!Object.hasOwn(y, name)) return false;
        pending.push([x[name], y[name]]);
      }
    } else return false;
  }
  return true;
}
