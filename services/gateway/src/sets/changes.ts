import { differenceOf } from "@orch/history/difference.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { ShownChange } from "./set-object.js";

/** Of one object. */
const mostChanges = 100;
/** Characters of a value. */
const longestValue = 200;
const uncounted: ReadonlySet<string> = new Set([".metadata.generation"]);

/** Where two states of an object differ; `values` tells what stands there too, which nobody may read of Secrets. */
export function changesOf(
  before: JsonObject,
  after: JsonObject,
  { values }: { readonly values: boolean },
): readonly ShownChange[] {
  return differenceOf(before, after, mostChanges)
    .changes.filter(({ path }) => !uncounted.has(path))
    .map(({ path, operation, ...change }) => ({
      ...{ path, operation },
      ...(values && change.before !== undefined ? { before: shown(change.before) } : {}),
      ...(values && change.after !== undefined ? { after: shown(change.after) } : {}),
    }));
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}
