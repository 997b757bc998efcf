import type { Kind } from "@orch/api/catalog.js";
import { type AnyObject, valueAt } from "@orch/api/object.js";
import { type Key, key } from "@orch/store/revision.js";
import type { Entry } from "@orch/store/store.js";
import { storedObject } from "./stored.js";
import type { WriteDeps } from "./write.js";

export interface ExpiryDeps extends WriteDeps {
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
    await pause(roundMs, signal);
    if (signal.aborted) return;
    try {
      for (const kind of deps.kinds) await expireKind(deps, kind);
    } catch (error) {
      deps.log("removing expired objects failed; the next round tries again", error);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      // The signal lives as long as the process: a listener a round would pile up.
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

/** One round over one kind. */
export async function expireKind({ store, naming, now, ttlMs }: ExpiryDeps, kind: Kind): Promise<number> {
  const prefix = key(`${naming.storePrefix}${kind.storage.prefix}/`);
  const limit = now() - ttlMs;
  let removed = 0;
  let from: Key | undefined;
  do {
    const page = await store.range({ prefix, limit: pageSize, ...(from === undefined ? {} : { from }) });
    const over = page.entries.filter((entry) => lastChange(entry) < limit);
    const swaps = over.map((entry) => store.swap({ key: entry.key, expected: entry.revision, value: undefined }));
    removed += (await Promise.all(swaps)).filter((swap) => swap.done).length;
    const last = page.entries.at(-1);
    from = last !== undefined && page.entries.length < page.count ? key(`${last.key}\0`) : undefined;
  } while (from !== undefined);
  return removed;
}

const changeTimes = ["metadata.creationTimestamp", "lastTimestamp", "eventTime", "series.lastObservedTime"];

/** Milliseconds since 1970 of the newest time that the object tells of itself. */
function lastChange(entry: Entry): number {
  const object: AnyObject = storedObject(entry);
  const times = changeTimes.map((path) => Date.parse(String(valueAt(object, path))));
  return Math.max(0, ...times.filter((time) => !Number.isNaN(time)));
}
