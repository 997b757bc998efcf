import type { ApiObject } from "@orch/client/objects.js";

/**
 * Objects of a store as this process wrote them last, as long as the store still shows what they were before: to decide by
 * that is to decide twice. Versions are opaque, so a copy holds until the store shows one that it was not written upon.
 */
export interface WrittenCopies<T extends ApiObject> {
  get(key: string): T | undefined;
  wrote(key: string, before: T, written: T): void;
}

interface Copy<T> {
  readonly object: T;
  /** Of the store's object, and of those in between. */
  readonly before: readonly string[];
}

export function createWrittenCopies<T extends ApiObject>(store: ReadonlyMap<string, T>): WrittenCopies<T> {
  const copies = new Map<string, Copy<T>>();
  return {
    get(key) {
      const shown = store.get(key);
      const copy = copies.get(key);
      if (copy === undefined) return shown;
      if (shown !== undefined && copy.before.includes(shown.metadata.resourceVersion ?? "")) return copy.object;
      copies.delete(key);
      return shown;
    },
    wrote(key, { metadata: { resourceVersion = "" } }, object) {
      copies.set(key, { object, before: [...(copies.get(key)?.before ?? []), resourceVersion] });
    },
  };
}
