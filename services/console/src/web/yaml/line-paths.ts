import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";

/** A step into a tree: a key, or an item of a list with what it holds. */
export type Step = { readonly key: string } | { readonly index: number; readonly item: unknown };

/** For each line the path of the field that begins there; absent where none does. */
export function linePaths(text: string): ReadonlyMap<number, readonly Step[]> {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, logLevel: "silent" });
  const paths = new Map<number, readonly Step[]>();
  const note = (offset: number | undefined, path: readonly Step[]): void => {
    if (offset === undefined) return;
    const { line } = counter.linePos(offset);
    // Of an item that begins with a field, the field is told.
    paths.set(line, path);
  };
  const walk = (node: unknown, path: readonly Step[]): void => {
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : String(key);
        const below = [...path, { key: name }];
        if (isScalar(key)) note(key.range?.[0], below);
        walk(value, below);
      }
    } else if (isSeq(node)) {
      node.items.forEach((item, index) => {
        const below = [...path, { index, item: plain(item) }];
        if (isScalar(item) || isMap(item) || isSeq(item)) note(item.range?.[0], below);
        walk(item, below);
      });
    }
  };
  walk(document.contents, []);
  return paths;
}

/** The fields of an item that tell it from others; deeper ones do not. */
function plain(item: unknown): unknown {
  if (isScalar(item)) return item.value;
  if (!isMap(item)) return undefined;
  return Object.fromEntries(
    item.items.flatMap(({ key, value }) =>
      isScalar(key) && isScalar(value) ? [[String(key.value), value.value]] : [],
    ),
  );
}
