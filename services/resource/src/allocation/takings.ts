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
import { anyIndex, anyPool, freeIndexes, type Pool, type Random, rangeWith } from "./pools.js";

export type Refusal = "allocated" | "outside";

/** What one write takes before it is stored, and gives back when it is not. A dry run only looks. */
export interface Takings {
  /** One that was asked for, of whichever of these ranges has it; why it cannot be had, or undefined. */
  take(pools: readonly Pool[], text: string): Promise<Refusal | undefined>;
  /** Any of these ranges, which are of one name; undefined when none is left. */
  takeAny(pools: readonly Pool[]): Promise<string | undefined>;
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

interface Place {
  readonly pool: Pool;
  readonly text: string;
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

  const takeFree = async (pool: Pool, text: string): Promise<boolean> => {
    const use: Use = { pool: pool.name, text };
    const at = claimKey(options, use);
    if (dryRun) return free(at);
    const claimed = await writeClaim(options, use, { owner, since: now() });
    if (claimed.done) taken.set(at, { pool, revision: claimed.revision, before: undefined });
    return claimed.done;
  };

  /** Of an earlier write of this service, whose process died or whose outcome nobody learned. */
  const takeOver = async (pool: Pool, text: string): Promise<boolean> => {
    const use: Use = { pool: pool.name, text };
    const at = claimKey(options, use);
    if (taken.has(at) || looked.has(at)) return false;
    const entry = await store.get(at);
    if (entry === undefined || !(await isLeft(entry))) return false;
    if (dryRun) return true;
    const value = printClaim(options, use, { owner, since: now() });
    const swap = await store.swap({ key: at, expected: entry.revision, value });
    if (swap.done) taken.set(at, { pool, revision: swap.revision, before: entry.value });
    return swap.done;
  };

  /** It is of this service's name, of a write that cannot be on its way any more, and no service has it. */
  const isLeft = async (entry: Entry): Promise<boolean> => {
    const { owner: other, since } = claimIn(options, entry);
    if (other.namespace !== owner.namespace || other.name !== owner.name) return false;
    if (now() - since <= longestWriteMs) return false;
    return other.uid === owner.uid || (await options.uidOf(owner.namespace, owner.name)) !== other.uid;
  };

  /** By pool, of which all have one name: their claims are read once. */
  const usedOf = async (pools: readonly Pool[]): Promise<ReadonlyMap<Pool, ReadonlySet<number>>> => {
    const used = new Map(pools.map((pool) => [pool, new Set<number>()]));
    const name = pools[0]?.name;
    if (name === undefined) return used;
    for await (const { key } of claimsOf(options, name)) {
      for (const [pool, indexes] of used) indexes.add(pool.indexOf(textOf(key)) ?? -1);
    }
    return used;
  };

  const searched = async (pools: readonly Pool[]): Promise<Place | undefined> => {
    for (let i = 0; i < guesses; i++) {
      const pool = anyPool(pools, random);
      if (pool === undefined) return undefined;
      const text = pool.textAt(anyIndex(pool, random));
      if (await takeFree(pool, text)) return { pool, text };
    }
    for (const [pool, used] of await usedOf(pools)) {
      for (const index of freeIndexes(pool, used, random)) {
        const text = pool.textAt(index);
        if (await takeFree(pool, text)) return { pool, text };
      }
    }
    return undefined;
  };

  return {
    async take(pools, asked) {
      const pool = rangeWith(pools, asked);
      const text = pool?.nameOf(asked);
      const isTaken =
        pool !== undefined && text !== undefined && ((await takeFree(pool, text)) || (await takeOver(pool, text)));
      const counted = pool ?? pools[0];
      if (!dryRun && counted !== undefined) metrics.allocation(counted, { scope: "static", done: isTaken });
      if (isTaken) return undefined;
      return pool === undefined ? "outside" : "allocated";
    },
    async takeAny(pools) {
      const place = await searched(pools);
      const counted = place?.pool ?? pools[0];
      if (!dryRun && counted !== undefined) {
        metrics.allocation(counted, { scope: "dynamic", done: place !== undefined });
      }
      return place?.text;
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
