import type { Freshness } from "@orch/api/list-options.js";
import type { ReadIndex } from "@orch/cache/read-index.js";
import { tooLargeResourceVersion, unavailable } from "@orch/status/api-error.js";
import type { Mirror } from "./mirror/mirror.js";

/** Where a read can be answered from: from the cache, which has seen what the read must show, or from the store alone. */
export type Source = "cache" | "store";

export interface FreshnessTimes {
  /** How long a read waits for the mirror before it goes to the store or fails. */
  readonly waitMs: number;
  /** How long a mirror that receives nothing may be behind before a Most Recent read goes to the store. */
  readonly stallMs: number;
}

/**
 * Decides where a read of some freshness is answered, waiting for the mirror where that is right.
 * @throws ApiError Timeout "Too large resource version" when a version does not come in time; ServiceUnavailable
 * while nothing is loaded yet.
 */
export function createFreshness(mirror: Mirror, readIndex: ReadIndex, times: FreshnessTimes) {
  const ready = async (): Promise<void> => {
    if (mirror.loaded) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unavailable("the watch cache is not loaded yet")), times.waitMs);
    });
    try {
      await Promise.race([mirror.whenLoaded(), late]);
    } finally {
      clearTimeout(timer);
    }
  };

  /** True when the mirror came to `wanted`; false when it is stuck or too slow. */
  const caughtUp = async (wanted: number): Promise<boolean> => {
    const { gate } = mirror;
    if (gate.revision >= wanted) return true;
    const before = gate.revision;
    if (await gate.reach(wanted, times.stallMs)) return true;
    if (gate.revision === before) return false;
    return gate.reach(wanted, times.waitMs - times.stallMs);
  };

  const notOlderThan = async (wanted: number): Promise<Source> => {
    if (await mirror.gate.reach(wanted, times.waitMs)) return "cache";
    const newest = await readIndex.current();
    // Revisions of others pass without an event: the store is there, the mirror has nothing to show for it.
    if (newest >= wanted) return "store";
    throw tooLargeResourceVersion(wanted, newest);
  };

  return {
    async source(freshness: Freshness): Promise<Source> {
      await ready();
      switch (freshness.type) {
        case "any":
          return "cache";
        case "mostRecent":
          return (await caughtUp(await readIndex.current())) ? "cache" : "store";
        case "notOlderThan":
        case "exact":
          return notOlderThan(freshness.revision);
      }
    },
  };
}
