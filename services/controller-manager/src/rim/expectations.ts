import type { Timer } from "@orch/client/pause.js";

/**
 * What a controller has done and not been shown yet, by the key of the owner: as long as something is expected, what the
 * store shows of its children is old.
 */
export interface Expectations {
  /** Nothing is expected any more, or it has been for too long. */
  isMet(key: string): boolean;
  expectCreations(key: string, count: number): void;
  /** One was shown, or will not come: its creation failed. */
  creationSeen(key: string): void;
  expectDeletions(key: string, uids: readonly string[]): void;
  /** It is gone or going, or its deletion failed. */
  deletionSeen(key: string, uid: string): void;
  /** The owner is gone. */
  forget(key: string): void;
}

interface Expected {
  creations: number;
  readonly deletions: Set<string>;
  since: number;
}

const longestMs = 5 * 60_000;

export function createExpectations(clock: Pick<Timer, "monotonic">): Expectations {
  const owners = new Map<string, Expected>();
  const of = (key: string): Expected => {
    const known = owners.get(key) ?? { creations: 0, deletions: new Set(), since: 0 };
    known.since = clock.monotonic();
    owners.set(key, known);
    return known;
  };
  const settle = (key: string, { creations, deletions }: Expected): void => {
    if (creations <= 0 && deletions.size === 0) owners.delete(key);
  };
  return {
    isMet(key) {
      const expected = owners.get(key);
      if (expected === undefined) return true;
      if (clock.monotonic() - expected.since < longestMs) return false;
      owners.delete(key);
      return true;
    },
    expectCreations(key, count) {
      if (count > 0) of(key).creations += count;
    },
    creationSeen(key) {
      const expected = owners.get(key);
      if (expected === undefined) return;
      expected.creations = Math.max(0, expected.creations - 1);
      settle(key, expected);
    },
    expectDeletions(key, uids) {
      if (uids.length === 0) return;
      const { deletions } = of(key);
      for (const uid of uids) deletions.add(uid);
    },
    deletionSeen(key, uid) {
      const expected = owners.get(key);
      if (expected === undefined) return;
      expected.deletions.delete(uid);
      settle(key, expected);
    },
    forget: (key) => void owners.delete(key),
  };
}
