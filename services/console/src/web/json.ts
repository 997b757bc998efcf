// Reading of answers whose form nobody has checked: what is not there is empty, never an exception.

export type Tree = Readonly<Record<string, unknown>>;

export const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const nothing: Tree = {};

/** The tree below these names; an empty one where there is none. */
export function treeAt(value: unknown, ...names: readonly string[]): Tree {
  let at: unknown = value;
  for (const name of names) at = isTree(at) ? at[name] : undefined;
  return isTree(at) ? at : nothing;
}

export function valueAt(value: unknown, ...names: readonly string[]): unknown {
  const last = names.at(-1);
  return last === undefined ? value : treeAt(value, ...names.slice(0, -1))[last];
}

/** The text below these names; `""` where there is none. Numbers are written out. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const found = valueAt(value, ...names);
  return typeof found === "string" ? found : typeof found === "number" ? String(found) : "";
}

export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...names);
  return Array.isArray(found) ? found : [];
}

export function textsAt(value: unknown, ...names: readonly string[]): readonly string[] {
  return listAt(value, ...names).filter((item) => typeof item === "string");
}

export function numberAt(value: unknown, ...names: readonly string[]): number | undefined {
  const found = valueAt(value, ...names);
  return typeof found === "number" ? found : undefined;
}

/** A map of texts, as labels are. */
export function textMapAt(value: unknown, ...names: readonly string[]): readonly (readonly [string, string])[] {
  return Object.entries(treeAt(value, ...names)).map(([key, text]) => [key, String(text)] as const);
}
