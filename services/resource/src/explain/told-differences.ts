import { differenceOf, type FieldChange } from "@orch/history/difference.js";
import { cut } from "@orch/status/cut.js";
import { jsonText } from "@orch/status/json-text.js";

/** Of one comparison. */
const mostChanges = 100;
/** Characters of a path: names in it may be as long as an object. */
const longestPath = 500;
/** Characters of all paths and values of an explanation: an object may be compared with itself some dozen times. */
const mostCharacters = 1 << 20;

/** A change of a field; its values are left out where there is no room for them. */
type ToldChange = FieldChange | (Pick<FieldChange, "path" | "operation"> & { readonly valuesLeftOut: true });

/** What differs, as a part of a document. */
export type ToldDifference =
  | { readonly changes: readonly ToldChange[]; readonly moreChanges?: true }
  /** The writer may not read the object. */
  | { readonly changedFields: number; readonly moreChanges?: true; readonly valuesLeftOut: true };

export type TellDifference = (before: unknown, after: unknown) => Promise<ToldDifference | undefined>;

/**
 * Compares pairs of objects one after the other; undefined where two are the same. Others have their turn between two comparisons.
 * `mayRead`: without it only the number of fields is told.
 */
export function tellingDifferences(mayRead: boolean): TellDifference {
  let room = mostCharacters;
  const told = (change: FieldChange): ToldChange | undefined => {
    const path = cut(change.path, longestPath);
    if (path.length > room) return undefined;
    room -= path.length;
    const size = lengthOf(change.before) + lengthOf(change.after);
    if (size > room) return { path, operation: change.operation, valuesLeftOut: true };
    room -= size;
    return { ...change, path };
  };
  return async (before, after) => {
    if (before === after) return undefined;
    await new Promise((resolve) => setImmediate(resolve));
    const { changes: all, more } = differenceOf(before, after, mostChanges);
    const changes = all.filter((change) => !isNamed(change));
    if (changes.length === 0) return undefined;
    if (!mayRead) {
      return { changedFields: changes.length, ...(more ? { moreChanges: true } : {}), valuesLeftOut: true };
    }
    const some = changes.map(told).filter((change) => change !== undefined);
    return { changes: some, ...(more || some.length < changes.length ? { moreChanges: true } : {}) };
  };
}

/** A body need not say of which kind and version it is: that somebody writes it in is no change. */
function isNamed({ path, operation }: FieldChange): boolean {
  return operation === "added" && (path === ".kind" || path === ".apiVersion");
}

const lengthOf = (value: unknown): number => (value === undefined ? 0 : jsonText(value).length);
