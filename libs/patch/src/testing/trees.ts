import fc from "fast-check";

/** The same tree, so that whoever writes to it fails. Takes no stack. */
export function freezeDeep<T>(tree: T): T {
  const pending: unknown[] = [tree];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== "object" || value === null || Object.isFrozen(value)) continue;
    Object.freeze(value);
    pending.push(...Object.values(value).filter((inner) => inner !== undefined));
  }
  return tree;
}

/** Objects inside one another, `depth` of them: `{"a": {"a": {}}}`. */
export function nested(depth: number, name: string): Readonly<Record<string, unknown>> {
  let tree: Record<string, unknown> = {};
  for (let i = 1; i < depth; i++) tree = { [name]: tree };
  return tree;
}

/** Small JSON values of few names, so that documents and patches meet. */
export const { tree: jsonTree, object: jsonObject } = fc.letrec<{ tree: unknown; list: unknown; object: unknown }>(
  (tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, fc.constantFrom(null, true, 0, 1, "", "x"), tie("list"), tie("object")),
    list: fc.array(tie("tree"), { maxLength: 3 }),
    object: fc.dictionary(fc.constantFrom("a", "b", "c/~", "__proto__"), tie("tree"), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  }),
);
