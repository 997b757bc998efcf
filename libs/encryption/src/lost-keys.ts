import type { Key } from "@orch/store/revision.js";

/** What was told as sealed by a key that is not at hand, and who is to look again when keys change. */
export interface LostKeys {
  addFrom(told: readonly Told[]): void;
  /** Runs the function when keys changed and something below the prefix was lost; until the returned one is called. */
  whenRetried(prefix: Key, run: () => void): () => void;
  retry(): void;
}

interface Told {
  readonly key?: Key | undefined;
  readonly sealed?: true;
}

/** Beyond this everybody looks again. */
const most = 1_000;

export function createLostKeys(): LostKeys {
  /** With how often keys had changed when it was told. */
  const lost = new Map<Key, number>();
  const followers = new Set<{ readonly prefix: Key; readonly run: () => void }>();
  let changes = 0;

  /** What was told below a prefix before the last change is forgotten; whether there was any. */
  const takeBelow = (prefix: Key): boolean => {
    const isFull = lost.size > most;
    let found = false;
    for (const [key, toldAt] of lost) {
      if (toldAt === changes || !(isFull || key.startsWith(prefix))) continue;
      found = true;
      if (key.startsWith(prefix)) lost.delete(key);
    }
    return found;
  };
  return {
    addFrom(told) {
      for (const { key, sealed } of told) {
        if (sealed === true && key !== undefined && lost.size <= most) lost.set(key, changes);
      }
    },
    whenRetried(prefix, run) {
      const follower = { prefix, run };
      followers.add(follower);
      // Keys may have changed while it loaded what it follows now.
      if (takeBelow(prefix)) run();
      return () => void followers.delete(follower);
    },
    retry() {
      changes++;
      // All of them look before any of them makes the others' finds forgotten.
      const before = new Map(lost);
      for (const { prefix, run } of followers) {
        for (const [key, toldAt] of before) lost.set(key, toldAt);
        if (takeBelow(prefix)) run();
      }
      for (const key of before.keys()) {
        if ([...followers].some(({ prefix }) => key.startsWith(prefix))) lost.delete(key);
      }
    },
  };
}
