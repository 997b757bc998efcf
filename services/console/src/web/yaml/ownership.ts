import { readJson } from "@orch/status/read-json.js";
import { isTree, listAt, type Tree, textAt, treeAt } from "../json.js";
import type { Step } from "./line-paths.js";

/** Who set a field, by what, and when. */
export interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource: string;
  readonly time: string;
}

interface Record {
  readonly owner: Owner;
  readonly fields: Tree;
}

/** Tells who owns a field, of the `metadata.managedFields` of an object. */
export function ownersIn(object: unknown): (path: readonly Step[]) => readonly Owner[] {
  const records = listAt(object, "metadata", "managedFields").map(
    (entry): Record => ({
      owner: {
        manager: textAt(entry, "manager"),
        operation: textAt(entry, "operation"),
        subresource: textAt(entry, "subresource"),
        time: textAt(entry, "time"),
      },
      fields: treeAt(entry, "fieldsV1"),
    }),
  );
  return (path) => records.filter(({ fields }) => owns(fields, path)).map(({ owner }) => owner);
}

/**
 * Whether a set of fields has this one. A set without anything below owns all that is there, as of a list that is set as a whole;
 * `.` is the field itself among what is below it.
 */
function owns(fields: Tree, path: readonly Step[]): boolean {
  let at = fields;
  for (const step of path) {
    const next = childOf(at, step);
    if (next === undefined) return false;
    if (Object.keys(next).length === 0) return true;
    at = next;
  }
  return path.length > 0 && "." in at;
}

function childOf(fields: Tree, step: Step): Tree | undefined {
  if ("key" in step) {
    const child = fields[`f:${step.key}`];
    return isTree(child) ? child : undefined;
  }
  for (const [name, child] of Object.entries(fields)) {
    if (isTree(child) && isItem(name, step)) return child;
  }
  return undefined;
}

/** `k:{"name":"web"}`, `v:"a"`, `i:0`: the item by its keys, by its value, by its place. */
function isItem(name: string, { index, item }: { readonly index: number; readonly item: unknown }): boolean {
  if (name === `i:${index}`) return true;
  if (!name.startsWith("k:") && !name.startsWith("v:")) return false;
  const wanted = parsed(name.slice(2));
  if (name.startsWith("v:")) return wanted === item;
  return isTree(wanted) && isTree(item) && Object.entries(wanted).every(([key, value]) => matches(item, key, value));
}

/** A key that an object leaves out has its default, which is in the set alone. */
const matches = (item: Tree, key: string, value: unknown): boolean => !(key in item) || item[key] === value;

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
