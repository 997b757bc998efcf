import type { Labels } from "@orch/api/selectors/labels.js";
import type { Matcher } from "../model/matcher.js";

/**
 * Things with a selector, found by labels: of those that ask for one value of a label only those with that value are
 * looked at.
 */
export interface ByLabel<T> {
  add(item: T, selector: Matcher): void;
  remove(item: T, selector: Matcher): void;
  /** All whose selector may match. */
  candidates(labels: Labels, visit: (item: T) => void): void;
  readonly size: number;
}

export function createByLabel<T>(): ByLabel<T> {
  const values = new Map<string, Map<string, Set<T>>>();
  const loose = new Set<T>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(item, { exact: [pair] }) {
      size += 1;
      if (pair === undefined) {
        loose.add(item);
        return;
      }
      const ofKey = values.get(pair.key) ?? new Map<string, Set<T>>();
      const ofValue = ofKey.get(pair.value) ?? new Set<T>();
      values.set(pair.key, ofKey);
      ofKey.set(pair.value, ofValue);
      ofValue.add(item);
    },
    remove(item, { exact: [pair] }) {
      size -= 1;
      if (pair === undefined) {
        loose.delete(item);
        return;
      }
      const ofKey = values.get(pair.key);
      const ofValue = ofKey?.get(pair.value);
      ofValue?.delete(item);
      if (ofValue?.size === 0) ofKey?.delete(pair.value);
      if (ofKey?.size === 0) values.delete(pair.key);
    },
    candidates(labels, visit) {
      if (size === 0) return;
      for (const item of loose) visit(item);
      if (values.size === 0) return;
      for (const key in labels) {
        const items = Object.hasOwn(labels, key) ? values.get(key)?.get(labels[key] ?? "") : undefined;
        if (items !== undefined) for (const item of items) visit(item);
      }
    },
  };
}
