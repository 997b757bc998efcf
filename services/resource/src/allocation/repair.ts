import type { Kind } from "@orch/api/catalog.js";
import type { Service } from "@orch/api/kinds/core/service/service-spec.js";
import { sleep, systemClock } from "@orch/runtime/clock.js";
import { pages } from "@orch/store/pages.js";
import { type Key, key, type Revision } from "@orch/store/revision.js";
import type { Entry } from "@orch/store/store.js";
import { storedObject } from "../write/storing/stored.js";
import { ownerOfService } from "./allocations.js";
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
import type { AllocationMetrics, Damage } from "./metrics.js";
import { type Pool, type Pools, poolNames, rangeWith } from "./pools.js";
import { usesOf } from "./service-numbers.js";

export interface RepairOptions extends ClaimStore {
  /** Service, as it is stored. */
  readonly kind: Kind;
  readonly pools: Pools;
  readonly metrics: AllocationMetrics;
  readonly log: (what: string, error: unknown) => void;
}

export interface Repair {
  /** Compares every claim with every service. Any process may do it at any time, several at once too. */
  round(): Promise<void>;
}

/**
 * A claim that no service has may be of a write that is on its way. One that stands unchanged in so many rounds is of
 * one that died: writes give up long before (`longestWriteMs`).
 */
const roundsBeforeRelease = 3;
const pageSize = 500;

/** A claim that is there. */
interface Held {
  readonly use: Use;
  readonly entry: Entry;
}

interface Found {
  readonly use: Use;
  readonly owner: Owner;
}

export function createRepair(options: RepairOptions): Repair {
  const { store, prefix, kind, pools, metrics, log } = options;
  let unused: ReadonlyMap<Key, { readonly revision: Revision; readonly rounds: number }> = new Map();

  const tell = ({ pool, text }: Use, type: Damage, what: string): void => {
    metrics.damage(pool === "node-ports" ? "port" : "ip", type);
    log(`${pool} ${text}: ${what}`, undefined);
  };

  /** By claim key. A number that two services have belongs to the one that its claim names. */
  const used = async (claims: ReadonlyMap<Key, Held>): Promise<ReadonlyMap<Key, Found>> => {
    const found = new Map<Key, Found>();
    for await (const page of pages(store, { prefix: key(`${prefix}${kind.storage.prefix}/`), limit: pageSize })) {
      for (const entry of page.entries) {
        const service: Service = storedObject(kind, entry);
        const owner = ownerOfService(service);
        for (const use of usesOf(service.spec ?? {})) {
          const at = claimKey(options, use);
          const other = found.get(at);
          if (other !== undefined && other.owner.uid !== owner.uid) {
            tell(use, "duplicate", `${nameOf(other.owner)} and ${nameOf(owner)} have it; one must be created anew`);
          }
          const claimed = claims.get(at);
          const named = claimed !== undefined && claimIn(options, claimed.entry).owner.uid === owner.uid;
          if (other === undefined || named) found.set(at, { use, owner });
        }
      }
    }
    return found;
  };

  /** Every number that a service has is claimed for it. */
  const claimFor = async ({ use, owner }: Found, entry: Entry | undefined): Promise<void> => {
    if (entry === undefined) {
      const inRange = rangeWith(pools.named(use.pool), use.text) !== undefined;
      if (!inRange) tell(use, "outOfRange", `${nameOf(owner)} has it, which is not in the range`);
      const claimed = await writeClaim(options, use, { owner, since: 0 });
      if (claimed.done && inRange) tell(use, "repair", `${nameOf(owner)} has it and it was not taken`);
    } else if (claimIn(options, entry).owner.uid !== owner.uid) {
      const swap = await store.swap({
        key: entry.key,
        expected: entry.revision,
        value: printClaim(options, use, { owner, since: 0 }),
      });
      if (swap.done)
        tell(use, "repair", `${nameOf(owner)} has it and it was taken for ${nameOf(claimIn(options, entry).owner)}`);
    }
  };

  const releaseUnused = async (held: readonly Held[]): Promise<void> => {
    const seen = new Map<Key, { readonly revision: Revision; readonly rounds: number }>();
    for (const { use, entry } of held) {
      const before = unused.get(entry.key);
      const rounds = before?.revision === entry.revision ? before.rounds + 1 : 1;
      if (rounds <= roundsBeforeRelease) {
        seen.set(entry.key, { revision: entry.revision, rounds });
        continue;
      }
      const swap = await store.swap({ key: entry.key, expected: entry.revision, value: undefined });
      if (swap.done) tell(use, "leak", `taken for ${nameOf(claimIn(options, entry).owner)}, which does not have it`);
    }
    unused = seen;
  };

  return {
    async round() {
      // Claims first: a service that is stored meanwhile has claimed before, and its claims are not looked at.
      const claims = new Map<Key, Held>();
      // Pool by pool: what a later release keeps beside them is not ours to judge.
      for (const pool of poolNames) {
        const held: Use[] = [];
        for await (const entry of claimsOf(options, pool)) {
          const use = { pool, text: textOf(entry.key) };
          claims.set(entry.key, { use, entry });
          held.push(use);
        }
        for (const [range, count] of countsOf(pools.named(pool), held)) metrics.counted(range, count);
      }
      const found = await used(claims);
      for (const [at, use] of found) await claimFor(use, claims.get(at)?.entry);
      // What others keep as objects is theirs.
      const isOfServices = ({ entry }: Held): boolean => claimIn(options, entry).owner.name !== "";
      await releaseUnused([...claims.values()].filter((held) => !found.has(held.entry.key) && isOfServices(held)));
    },
  };
}

/** How many of these are of each range; of the only one all are. */
function countsOf(ranges: readonly Pool[], held: readonly Use[]): ReadonlyMap<Pool, number> {
  const [only] = ranges;
  if (ranges.length === 1 && only !== undefined) return new Map([[only, held.length]]);
  const counts = new Map(ranges.map((range) => [range, 0]));
  for (const { text } of held) {
    const range = rangeWith(ranges, text);
    if (range !== undefined) counts.set(range, (counts.get(range) ?? 0) + 1);
  }
  return counts;
}

const nameOf = ({ namespace, name }: Owner): string => `service ${namespace}/${name}`;

const retryMs = 1000;

/** Repairs until the signal, a round each `intervalMs`; `first` is told when one was whole. */
export async function keepRepaired(
  repair: Repair,
  options: Pick<RepairOptions, "metrics" | "log"> & { readonly intervalMs: number; readonly first: () => void },
  signal: AbortSignal,
): Promise<void> {
  let whole = false;
  while (!signal.aborted) {
    try {
      await repair.round();
      whole = true;
      options.first();
    } catch (error) {
      if (signal.aborted) return;
      options.metrics.repairFailed();
      options.log("repairing the allocations of services failed; trying again", error);
    }
    await sleep(systemClock, whole ? options.intervalMs : retryMs, signal);
  }
}
