import { type Key, noRevision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";

export interface TokenKeyOptions {
  readonly store: Pick<Store, "get" | "swap">;
  /** Where it is kept: below the store's prefix, and no object's key. */
  readonly at: Key;
  /** Random bytes, as many as asked for. */
  readonly random: (bytes: number) => Buffer;
}

/** The key that signs continue tokens: one for all watch caches of a store, made by whichever needs it first. */
export interface TokenKey {
  get(): Promise<Buffer>;
  /** The store may be another one now. */
  forget(): void;
}

const keyBytes = 32;

export function createTokenKey({ store, at, random }: TokenKeyOptions): TokenKey {
  let known: Promise<Buffer> | undefined;

  const find = async (): Promise<Buffer> => {
    const stored = await store.get(at);
    if (stored !== undefined) return stored.value;
    const made = random(keyBytes);
    const swap = await store.swap({ key: at, expected: noRevision, value: made });
    if (swap.done) return made;
    // Another was faster, and may be gone again.
    return swap.current?.value ?? find();
  };

  return {
    get() {
      if (known !== undefined) return known;
      const found = find();
      known = found;
      // A store that was away is asked again.
      found.catch(() => {
        if (known === found) known = undefined;
      });
      return found;
    },
    forget() {
      known = undefined;
    },
  };
}
