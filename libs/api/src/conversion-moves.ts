import { isObject, type JsonObject } from "@orch/schema/descriptor.js";

/** A field's path in a version and in its hub: `spec.backend` → `spec.defaultBackend`. */
export type Move = readonly [own: string, hub: string];

/**
 * Moves the values at some paths of a tree to others; `[]` behind a name stands for every item of a list, and both
 * paths of a move go through the same lists. What stands at neither path is shared with the input.
 */
export function moveFields(tree: JsonObject, moves: readonly Move[]): JsonObject {
  return moves.reduce((result, [from, to]) => moveOne(result, from.split("."), to.split(".")), tree);
}

/** The moves of the other direction. */
export function reversed(moves: readonly Move[]): readonly Move[] {
  return moves.map(([own, hub]): Move => [hub, own]).reverse();
}

function moveOne(tree: JsonObject, from: readonly string[], to: readonly string[]): JsonObject {
  const [head = "", ...fromRest] = from;
  if (head === to[0] && fromRest.length > 0 && to.length > 1) return below(tree, head, fromRest, to.slice(1));
  const { rest, value } = take(tree, from);
  return value === undefined ? tree : put(rest, to, value);
}

function below(tree: JsonObject, head: string, from: readonly string[], to: readonly string[]): JsonObject {
  const name = head.endsWith("[]") ? head.slice(0, -2) : head;
  const value = tree[name];
  if (head.endsWith("[]")) {
    if (!Array.isArray(value)) return tree;
    return { ...tree, [name]: value.map((item: unknown) => (isObject(item) ? moveOne(item, from, to) : item)) };
  }
  return isObject(value) ? { ...tree, [name]: moveOne(value, from, to) } : tree;
}

/** The value at a path and the tree without it; an object that this leaves empty goes with it. */
function take(tree: JsonObject, path: readonly string[]): { readonly rest: JsonObject; readonly value: unknown } {
  const [name = "", ...deeper] = path;
  const { [name]: found, ...others } = tree;
  if (found === undefined) return { rest: tree, value: undefined };
  if (deeper.length === 0) return { rest: others, value: found };
  if (!isObject(found)) return { rest: tree, value: undefined };
  const { rest, value } = take(found, deeper);
  if (value === undefined) return { rest: tree, value };
  return { rest: Object.keys(rest).length === 0 ? others : { ...tree, [name]: rest }, value };
}

function put(tree: JsonObject, path: readonly string[], value: unknown): JsonObject {
  const [name = "", ...deeper] = path;
  if (deeper.length === 0) return { ...tree, [name]: value };
  const found = tree[name];
  return { ...tree, [name]: put(isObject(found) ? found : {}, deeper, value) };
}
