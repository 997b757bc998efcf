import { jsonText } from "@orch/status/json-text.js";

/** Gives a value that says the same and was given before, or else this one. Values that are shared do not change. */
export type Share<T> = (value: T | undefined) => T | undefined;

/** Beyond so many it begins anew: what was given stays with those that have it. */
const mostValues = 4096;

/** Values that very many objects have alike are kept once: the labels of a set's pods, conditions of the same second. */
export function createShare<T>(): Share<T> {
  const known = new Map<string, T>();
  return (value) => {
    if (value === undefined) return undefined;
    const text = jsonText(value);
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= mostValues) known.clear();
    known.set(text, value);
    return value;
  };
}

export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that are there. They are added: an object of which some are deleted becomes a table of hashes, five times as large. */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept: Defined<T> = {};
  for (const name in fields) {
    const value = fields[name];
    if (isGiven(value)) kept[name] = value;
  }
  return kept;
}

const isGiven = <V>(value: V): value is Exclude<V, undefined> => value !== undefined;
