import type { Kind } from "@orch/api/catalog.js";
import { valueAt } from "@orch/api/object.js";
import { sleep, systemClock } from "@orch/runtime/clock.js";
import { pages } from "@orch/store/pages.js";
import { key } from "@orch/store/revision.js";
import type { Entry } from "@orch/store/store.js";
import { storedObject } from "./write/storing/stored.js";
import type { WriteDeps } from "./write/write.js";

export interface ExpiryDeps extends Pick<WriteDeps, "store" | "naming" | "now"> {
  /** Kinds whose objects expire: Events. */
  readonly kinds: readonly Kind[];
  readonly ttlMs: number;
  readonly log: (what: string, error: unknown) => void;
}

const roundMs = 60_000;
const pageSize = 500;

/**
 * Deletes objects whose time is over, until the signal. The store has no leases: the time of an object's
 * last change stands in the object, and a change that comes in between wins, for its revision is compared.
 */
export async function runExpiry(deps: ExpiryDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(systemClock, roundMs, signal);
    if (signal.aborted) return;
    try {
      for (const kind of deps.kinds) await expireKind(deps, kind);
    } catch (error) {
      deps.log("removing expired objects failed; the next round tries again", error);
    }
  }
}

/** One round over one kind. */
export async function expireKind({ store, naming, now, ttlMs }: ExpiryDeps, kind: Kind): Promise<number> {
  const prefix = key(`${naming.storePrefix}${kind.storage.prefix}/`);
  const limit = now() - ttlMs;
  let removed = 0;
  for await (const page of pages(store, { prefix, limit: pageSize, damaged: "told" })) {
    const over = page.entries.filter((entry) => lastChange(kind, entry) < limit);
    const swaps = over.map((entry) => store.swap({ key: entry.key, expected: entry.revision, value: undefined }));
    removed += (await Promise.all(swaps)).filter((swap) => swap.done).length;
  }
  return removed;
}

const changeTimes = ["metadata.creationTimestamp", "lastTimestamp", "eventTime", "series.lastObservedTime"];

/** Milliseconds since 1970 of the newest time that the object tells of itself. */
function lastChange(kind: Kind, entry: Entry): number {
  const object = storedObject(kind, entry);
  const times = changeTimes.map((path) => Date.parse(String(valueAt(object, path))));
  return Math.max(0, ...times.filter((time) => !Number.isNaN(time)));
}
