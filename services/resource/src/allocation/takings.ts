import type { Key, Revision } from "@orch/store/revision.js";
import type { Entry } from "@orch/store/store.js";
import {
  type ClaimStore,
  claimIn,
  claimKey,
  claimsOf,
  type Owner,
  printClaim,
  textOf,
  type Use,
  writeClaim,
} from "./claims.js";
import type { AllocationMetrics } from "./metrics.js";
import { anyIndex, freeIndexes, type Pool, type Random } from "./pools.js";

export type Refusal = "allocated" | "outside";

/** What one write takes before it is stored, and gives back when it is not. A dry run only looks. */
export interface Takings {
  /** One that was asked for; why it cannot be had, or undefined. */
  take(pool: Pool, text: string): Promise<Refusal | undefined>;
  /** Any; undefined when none is left. */
  takeAny(pool: Pool): Promise<string | undefined>;
  /** Leaves everything as it was. What fails is found by the repair. */
  giveBack(): Promise<void>;
}

export interface TakingsOptions extends ClaimStore {
  readonly owner: Owner;
  readonly dryRun: boolean;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The uid of the service that is stored under a name. */
  readonly uidOf: (namespace: string, name: string) => Promise<string | undefined>;
  readonly metrics: AllocationMetrics;
  readonly log: (what: string, error: unknown) => void;
}

interface Taken {
  readonly pool: Pool;
  readonly revision: Revision;
  /** The value that was there before: the claim of an earlier write of the same service. */
  readonly before: Buffer | undefined;
}

/** No write takes as long between its first claim and its transaction: it gives up before. */
export const longestWriteMs = 30_000;

/** Numbers tried at random before all claims are read: in a range half full one in eight writes has to. */
const guesses = 3;

export function createTakings(options: TakingsOptions): Takings {
  const { store, owner, dryRun, random, metrics, now } = options;
  const taken = new Map<Key, Taken>();
  const looked = new Set<Key>();

  const free = async (at: Key): Promise<boolean> => {
    if (looked.has(at) || (await store.get(at)) !== undefined) return false;
    looked.add(at);
    return true;
  };

  const takeFree = async (pool: Pool, index: number): Promise<boolean> => {
    const use: Use = { pool: pool.name, text: pool.textAt(index) };
    const at = claimKey(options, use);
    if (dryRun) return free(at);
    const claimed = await writeClaim(options, use, { owner, since: now() });
    if (claimed.done) taken.set(at, { pool, revision: claimed.revision, before: undefined });
    return claimed.done;
  };

  /** Of an earlier write of this service, whose process died or whose outcome nobody learned. */
  const takeOver = async (pool: Pool, at: Key): Promise<boolean> => {
    if (taken.has(at) || looked.has(at)) return false;
    const entry = await store.get(at);
    if (entry === undefined || !(await isLeft(entry))) return false;
    if (dryRun) return true;
    const value = printClaim({ owner, since: now() });
    const swap = await store.swap({ key: at, expected: entry.revision, value });
    if (swap.done) taken.set(at, { pool, revision: swap.revision, before: entry.value });
    return swap.done;
  };

  /** It is of this service's name, of a write that cannot be on its way any more, and no service has it. */
  const isLeft = async (entry: Entry): Promise<boolean> => {
    const { owner: other, since } = claimIn(entry);
    if (other.namespace !== owner.namespace || other.name !== owner.name) return false;
    if (now() - since <= longestWriteMs) return false;
    return other.uid === owner.uid || (await options.uidOf(owner.namespace, owner.name)) !== other.uid;
  };

  const usedOf = async (pool: Pool): Promise<ReadonlySet<number>> => {
    const used = new Set<number>();
    for await (const { key } of claimsOf(options, pool.name)) used.add(pool.indexOf(textOf(key)) ?? -1);
    return used;
  };

  const searched = async (pool: Pool): Promise<number | undefined> => {
    for (let i = 0; i < guesses && pool.size > 0; i++) {
      const index = anyIndex(pool, random);
      if (await takeFree(pool, index)) return index;
    }
    for (const index of freeIndexes(pool, await usedOf(pool), random)) if (await takeFree(pool, index)) return index;
    return undefined;
  };

  return {
    async take(pool, text) {
      const index = pool.indexOf(text);
      const at = claimKey(options, { pool: pool.name, text: index === undefined ? text : pool.textAt(index) });
      const refusal =
        index === undefined
          ? "outside"
          : (await takeFree(pool, index)) || (await takeOver(pool, at))
            ? undefined
            : "allocated";
      if (!dryRun) metrics.allocation(pool, { scope: "static", done: refusal === undefined });
      return refusal;
    },
    async takeAny(pool) {
      const index = await searched(pool);
      if (!dryRun) metrics.allocation(pool, { scope: "dynamic", done: index !== undefined });
      return index === undefined ? undefined : pool.textAt(index);
    },
    async giveBack() {
      const all = [...taken].map(async ([at, { pool, revision, before }]) => {
        const swap = await store.swap({ key: at, expected: revision, value: before });
        if (swap.done && before === undefined) metrics.released(pool);
      });
      for (const result of await Promise.allSettled(all)) {
        if (result.status === "rejected") options.log("giving back what a service did not get failed", result.reason);
      }
      taken.clear();
    },
  };
}
