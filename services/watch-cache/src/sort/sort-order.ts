import { type FieldPath, formatPath, parseFieldPaths } from "@orch/api/field-paths.js";
import { badRequest } from "@orch/status/api-error.js";
import type { CachedObject } from "../object.js";
import { pick, type Wanted } from "../pick.js";
import type { Readable } from "../readable.js";
import { compareValues, type SortValue, sortValue } from "./sort-value.js";

/** In which order a list is to be. */
export interface SortOrder {
  /** Equal for equal orders. */
  readonly id: string;
  /** What an object is compared by. */
  row(object: CachedObject): Row;
  /** Of two rows with the same values the one with the lesser key comes first: no two are equal. */
  compare(a: Row, b: Row): number;
}

export interface Row {
  readonly object: CachedObject;
  readonly values: readonly SortValue[];
}

const bounds = { parameter: "sort", maxPaths: 4, maxLength: 1024 } as const;

/**
 * Reads a `sort` parameter: paths of fields, descending behind a minus.
 * @throws ApiError BadRequest where it cannot be read, or names fields that are stored in another version than is asked for
 */
export function sortOrder({ kind }: Readable, text: string): SortOrder {
  const keys = parseFieldPaths(text, bounds);
  // The stored bytes are looked at. Metadata is the same in every version.
  const isStored = kind.conversion === undefined && kind.custom?.webhook === undefined;
  const other = keys.find(({ path }) => path[0] !== "metadata" && !isStored);
  if (other !== undefined) {
    throw badRequest(
      `invalid sort: objects in ${kind.apiVersion} are converted from the version in which they are stored, and can be sorted by metadata alone, not by ${formatPath(other.path)}`,
    );
  }
  const wanted = wantedOf(keys.map(({ path }) => path));
  const names = keys.map(({ path }) => path.join("."));
  const order = keys.map(({ descending }) => (descending ? -1 : 1));
  return {
    id: keys.map(({ path, descending }) => `${descending ? "-" : ""}${formatPath(path)}`).join(),
    row(object) {
      const found = pick(object.bytes, 0, wanted);
      return {
        object,
        values: names.map((name) => {
          const json = found.get(name);
          return json === undefined ? undefined : sortValue(json);
        }),
      };
    },
    compare(a, b) {
      for (const [i, direction] of order.entries()) {
        const [left, right] = [a.values[i], b.values[i]];
        if (left === undefined && right === undefined) continue;
        if (left === undefined) return 1;
        if (right === undefined) return -1;
        const difference = compareValues(left, right);
        if (difference !== 0) return difference * direction;
      }
      return a.object.key < b.object.key ? -1 : 1;
    },
  };
}

/** @throws ApiError BadRequest for a path that goes on where another one ends: there is nothing to compare by */
function wantedOf(paths: readonly FieldPath[]): Wanted {
  const below = new Map<string, FieldPath[]>();
  for (const [name = "", ...rest] of paths) below.set(name, [...(below.get(name) ?? []), rest]);
  return [...below].map(([name, rest]) => {
    const ends = rest.some(({ length }) => length === 0);
    if (ends && rest.some(({ length }) => length > 0)) throw badRequest("invalid sort: one path is part of another");
    // As it stands in JSON.
    const bytes = Buffer.from(JSON.stringify(name).slice(1, -1));
    return { name, bytes, next: ends ? "value" : wantedOf(rest) };
  });
}
