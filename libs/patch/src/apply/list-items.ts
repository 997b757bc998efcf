import { isObject } from "@orch/schema/descriptor.js";
import { quoted } from "@orch/status/quoted.js";
import { compareTexts } from "../fields/go-text.js";
import { keyElement, type PathElement, valueElement } from "../fields/path-element.js";
import type { ListForm } from "./schema.js";

/** Why an item can not be told apart from others. */
export interface NoElement {
  readonly wrong: string;
}

const sortedKeys = new WeakMap<ListForm, readonly string[]>();

/** The path element of an item of a set or a map, by its keys or by itself. */
export function elementOf(list: ListForm, item: unknown): PathElement | NoElement {
  if (list.keys.length > 0) return elementByKeys(list, item);
  if (item === null || item === undefined) {
    return { wrong: "associative list without keys has an element that's an explicit null" };
  }
  if (Array.isArray(item)) return { wrong: "not supported: associative list with lists as elements" };
  if (isObject(item)) return { wrong: "associative list without keys has an element that's a map type" };
  return valueElement(item);
}

function elementByKeys(list: ListForm, item: unknown): PathElement | NoElement {
  if (item === null || item === undefined) return { wrong: "associative list with keys may not have a null element" };
  if (!isObject(item)) return { wrong: "associative list with keys may not have non-map elements" };
  const keyOf = (name: string): unknown => (item[name] === undefined ? list.item.map?.defaultOf(name) : item[name]);
  const missing = list.keys.find((name) => keyOf(name) === undefined);
  if (missing === undefined) return keyElement(keysByName(list).map((name) => [name, keyOf(name)]));
  const name = quoted(missing);
  return {
    wrong: `associative list with keys has an element that omits key field ${name} (and doesn't have default value)`,
  };
}

function keysByName(list: ListForm): readonly string[] {
  if (list.keys.length < 2) return list.keys;
  let keys = sortedKeys.get(list);
  if (keys === undefined) {
    keys = [...list.keys].sort(compareTexts);
    sortedKeys.set(list, keys);
  }
  return keys;
}

/** An object that does not fit its type where a walk needs it to. */
export class TypedError extends Error {}

/** {@link elementOf} where the list has been checked before, or must be right. */
export function knownElementOf(list: ListForm, item: unknown, index: number): PathElement {
  const element = elementOf(list, item);
  if (typeof element === "string") return element;
  throw new TypedError(`element ${index}: ${element.wrong}`);
}
