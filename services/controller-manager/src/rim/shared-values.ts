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
