import { isObject } from "@orch/schema/descriptor.js";
import { DataError } from "../reader.js";

/** `.status.podIPs[0].ip`: names and list positions from the root. */
export type Path = readonly (string | number)[];

/** `.spec.containers[].name`: a list and, with more after `[]`, what to take of each item. */
export interface ListPath {
  readonly list: Path;
  readonly item: Path;
}

const whole = /^(?:\.[A-Za-z]\w*(?:\[\d+\])?)+$/;
const step = /\.(\w+)|\[(\d+)\]/g;

/** @throws DataError where the text is no path */
export function parsePath(where: string, text: string): Path {
  if (!whole.test(text)) throw new DataError(where, `expected a path like .spec.ports[0].name, not ${text}`);
  return [...text.matchAll(step)].map(([, name, index]) => name ?? Number(index));
}

/** @throws DataError where the text is no path */
export function parseListPath(where: string, text: string): ListPath {
  const [list = "", item = "", ...more] = text.split("[]");
  if (more.length > 0) throw new DataError(where, `expected one [] at most, not ${text}`);
  return { list: parsePath(where, list), item: item === "" ? [] : parsePath(where, item) };
}

export function valueAtPath(root: unknown, path: Path): unknown {
  let value = root;
  for (const at of path) {
    if (typeof at === "number") value = Array.isArray(value) ? value[at] : undefined;
    else value = isObject(value) ? value[at] : undefined;
  }
  return value;
}

/** The list's items, or what is taken of them; none where there is no list. */
export function itemsAtPath(root: unknown, { list, item }: ListPath): readonly unknown[] {
  const items: unknown = valueAtPath(root, list);
  if (!Array.isArray(items)) return [];
  return item.length === 0 ? items : items.map((each) => valueAtPath(each, item));
}
