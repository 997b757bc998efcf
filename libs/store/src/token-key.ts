import { key, noRevision } from "./revision.js";
import type { Store } from "./store.js";

export interface TokenKeyOptions {
  readonly store: Pick<Store, "get" | "swap">;
  /** Of every key, with its closing slash. */
  readonly storePrefix: string;
  /** Random bytes, as many as asked for. */
  readonly random: (bytes: number) => Buffer;
}

/** The key that signs continue tokens: one for everybody at a store, made by whoever needs it first. */
export interface TokenKey {
  get(): Promise<Buffer>;
  /** The store may be another one now. */
  forget(): void;
}

const keyBytes = 32;

/** Not below any resource's prefix: a group that is not the core has a dot. */
const place = "watch-cache/continue-key";

export function createTokenKey({ store, storePrefix, random }: TokenKeyOptions): TokenKey {
  const at = key(`${storePrefix}${place}`);
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
