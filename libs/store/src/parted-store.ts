import type { Key } from "./revision.js";
import type { Store } from "./store.js";

/** What is stored elsewhere, and where. */
export interface StorePart {
  /** Of the keys that stand there; each closes with a slash. */
  readonly prefixes: readonly Key[];
  readonly store: Store;
}

/** Which of several stores has a key, or all keys of a prefix: `main` has what no part has. */
export function createPartOf<T extends Store>(main: T, parts: readonly { prefixes: readonly Key[]; store: T }[]) {
  const places = parts.flatMap(({ prefixes, store }) => prefixes.map((prefix) => ({ prefix, store })));
  return (at: Key): T => places.find(({ prefix }) => at.startsWith(prefix))?.store ?? main;
}

/**
 * Several stores as one, each with some of the keys. Each counts its own revisions: one means something only beside the keys
 * of its store, which is why `revision` wants to know of which. What is asked of more than one at once is asked of `main`.
 */
export function createPartedStore(main: Store, parts: readonly StorePart[]): Store {
  if (parts.length === 0) return main;
  const of = createPartOf(main, parts);
  return {
    revision: (near) => (near === undefined ? main : of(near)).revision(),
    get: (key) => of(key).get(key),
    range: (query) => of(query.prefix).range(query),
    swap: (change) => of(change.key).swap(change),
    watch: (query) => of(query.prefix).watch(query),
    notes: {
      range: (query) => of(query.prefix).notes.range(query),
      count: (space, prefix) => of(prefix).notes.count(space, prefix),
      async rewrite(space, notes) {
        const stores = [...new Set(notes.map(({ key }) => of(key)))];
        await Promise.all(
          stores.map((store) =>
            store.notes.rewrite(
              space,
              notes.filter(({ key }) => of(key) === store),
            ),
          ),
        );
      },
      async remove(space, keys) {
        const stores = [...new Set(keys.map(of))];
        await Promise.all(
          stores.map((store) =>
            store.notes.remove(
              space,
              keys.filter((at) => of(at) === store),
            ),
          ),
        );
      },
    },
    compact: (revision) => main.compact(revision),
    async close() {
      await Promise.all([main, ...parts.map(({ store }) => store)].map((store) => store.close()));
    },
  };
}
