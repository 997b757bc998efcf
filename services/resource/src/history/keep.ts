import type { Catalog } from "@orch/api/catalog.js";
import { storedResource } from "@orch/api/stored-resource.js";
import { objectOf } from "@orch/history/note-keys.js";
import {
  type HistoryLimits,
  type HistoryPolicy,
  limitsOf,
  mostObjectBytes,
  widestLimits,
} from "@orch/history/rules.js";
import { type NotedChange, readChanges } from "@orch/history/states.js";
import { sleep, systemClock } from "@orch/runtime/clock.js";
import type { NewNote, NoteSpace } from "@orch/store/notes.js";
import { type Key, key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { LRUCache } from "lru-cache";
import { walkNotes } from "./walk.js";

export interface KeeperDeps {
  readonly store: Store;
  readonly storePrefix: string;
  readonly catalog: { readonly now: Catalog };
  readonly policy: HistoryPolicy;
  /** Whether this process removes what is over the limits for a group's objects. */
  readonly owns: (group: string) => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (what: string, error: unknown) => void;
  readonly observe?: ((kept: KeptHistory) => void) | undefined;
}

/** What a round found, after what was over the limits was removed. */
export interface KeptHistory {
  readonly records: number;
  readonly bytes: number;
  readonly removed: number;
}

export interface HistoryKeeper {
  /** A change was made, with this note. */
  noted(note: NewNote): void;
  /** Removes what is over the limits, until the signal. */
  run(signal: AbortSignal): Promise<void>;
  /** One round over everything. */
  round(): Promise<KeptHistory>;
}

const roundMs = 3600_000;
const firstRoundMs = 10 * 60_000;
/** An object is looked at again when it has so many more notes than it may have. */
const slack = 50;
/** And when so many bytes were added to them. */
const slackBytes = mostObjectBytes / 4;
const mostCounted = 10_000;
/** A round is made early when so large a part of the bytes that may be kept was added. */
const earlyShare = 8;
/** Records are told apart by age in steps of an hour, to find which are the oldest. */
const stepMs = 3600_000;

/** Bounds what is kept of objects' past: states an object, age, and bytes of all together. */
export function createKeeper(deps: KeeperDeps): HistoryKeeper {
  const { store, policy, log } = deps;
  const counts = new LRUCache<Key, Counted>({ max: mostCounted });
  let added = 0;
  let wake = (): void => {};
  const trim = async (object: Key): Promise<void> => {
    const limits = limitsAt(deps, object);
    await removeAll(
      store,
      over(await readChanges(store, object), { limits, now: deps.now(), oldest: Number.NEGATIVE_INFINITY }),
    );
  };
  const round = async (): Promise<KeptHistory> => {
    added = 0;
    const { ages, ...kept } = await sweep(deps, Number.NEGATIVE_INFINITY);
    if (kept.bytes <= policy.maxBytes) return told(deps, kept);
    const { ages: _ages, ...cut } = await sweep(deps, oldestKept(ages, policy.maxBytes));
    return told(deps, { ...cut, removed: kept.removed + cut.removed });
  };
  return {
    noted({ key: at, value }) {
      const object = objectOf(at);
      added += value.length;
      if (added > policy.maxBytes / earlyShare) wake();
      const { notes, bytes } = counts.get(object) ?? { notes: 0, bytes: 0 };
      const counted = { notes: notes + 1, bytes: bytes + value.length };
      if (counted.notes < slack && counted.bytes < slackBytes) {
        counts.set(object, counted);
        return;
      }
      counts.delete(object);
      trim(object).catch((error: unknown) => log("an object's history could not be cut", error));
    },
    round,
    async run(signal) {
      for (let waitMs = firstRoundMs; !signal.aborted; waitMs = roundMs) {
        const early = new AbortController();
        wake = () => early.abort();
        await sleep(systemClock, waitMs, AbortSignal.any([signal, early.signal]));
        if (signal.aborted) return;
        await round().catch((error: unknown) =>
          log("objects' history could not be cut; the next round tries again", error),
        );
      }
    },
  };
}

interface Counted {
  readonly notes: number;
  readonly bytes: number;
}

function told({ observe }: KeeperDeps, kept: KeptHistory): KeptHistory {
  observe?.(kept);
  return kept;
}

interface Swept extends KeptHistory {
  /** Bytes by the hour of their change, since 1970. */
  readonly ages: ReadonlyMap<number, number>;
}

/** Removes what is over the limits, and what is older than `oldest`, in milliseconds since 1970. */
async function sweep(deps: KeeperDeps, oldest: number): Promise<Swept> {
  const ages = new Map<number, number>();
  let [records, bytes, removed] = [0, 0, 0];
  for await (const { key: object, changes } of walkNotes(deps.store, { prefix: key(deps.storePrefix) })) {
    const resource = storedResource(deps.catalog.now, object.slice(deps.storePrefix.length));
    const mine = resource === undefined || deps.owns(resource.group);
    const gone = mine ? new Set(over(changes, { limits: limitsAt(deps, object), now: deps.now(), oldest })) : none;
    await removeAll(deps.store, [...gone]);
    removed += gone.size;
    for (const change of changes) {
      if (gone.has(change)) continue;
      records++;
      bytes += change.size;
      const hour = Math.floor(change.author.time / stepMs);
      ages.set(hour, (ages.get(hour) ?? 0) + change.size);
    }
  }
  return { records, bytes, removed, ages };
}

const none: ReadonlySet<NotedChange> = new Set();

/** From when on changes fit into so many bytes, the newest first. */
function oldestKept(ages: ReadonlyMap<number, number>, maxBytes: number): number {
  let left = maxBytes;
  for (const [hour, bytes] of [...ages].sort(([a], [b]) => b - a)) {
    left -= bytes;
    if (left < 0) return (hour + 1) * stepMs;
  }
  return Number.NEGATIVE_INFINITY;
}

interface Bounds {
  readonly limits: HistoryLimits | undefined;
  readonly now: number;
  readonly oldest: number;
}

/** Of changes newest first, those that are not to be kept: all behind one that goes go with it, since they hang on it. */
function over(changes: readonly NotedChange[], { limits, now, oldest }: Bounds): readonly NotedChange[] {
  if (limits === undefined) return changes;
  const from = Math.max(oldest, now - limits.maxAgeMs);
  let bytes = 0;
  const first = changes.findIndex(({ author, size }, i) => {
    bytes += size;
    return i >= limits.maxStates || author.time < from || (bytes > mostObjectBytes && i > 0);
  });
  return first < 0 ? [] : changes.slice(first);
}

/**
 * What rules say of the object at a key. Of a kind that is not known its definition is gone, or has not come to this process yet:
 * the history of its objects lasts as long as any.
 */
function limitsAt({ catalog, storePrefix, policy }: KeeperDeps, object: Key): HistoryLimits | undefined {
  const path = object.slice(storePrefix.length);
  const resource = storedResource(catalog.now, path);
  if (resource === undefined) return widestLimits(policy);
  const parts = path.split("/");
  // `<storage prefix>/[namespace/]name`, and a storage prefix has one part or two.
  const prefixParts = catalog.now.storedAt(parts[0] ?? "") === undefined ? 2 : 1;
  const namespace = parts.length > prefixParts + 1 ? (parts[prefixParts] ?? "") : "";
  return limitsOf(policy, { ...resource, namespace });
}

async function removeAll(store: Store, changes: readonly NotedChange[]): Promise<void> {
  for (const space of spaces) {
    const keys = changes.filter((change) => change.space === space).map(({ key: at }) => at);
    if (keys.length > 0) await store.notes.remove(space, keys);
  }
}

const spaces: readonly NoteSpace[] = ["states", "deleted"];
