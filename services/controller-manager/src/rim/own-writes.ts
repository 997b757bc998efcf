import type { ApiObject } from "@orch/client/objects.js";
import type { Timer } from "@orch/client/pause.js";

/**
 * What a controller has written and not been shown yet: to decide by the state before is to decide twice. Versions are
 * opaque, so it is waited until the store shows another one than the write was based upon.
 */
export interface OwnWrites {
  /** `key`: of the object that was written; `before`: its version that the write was based upon, undefined for a new one. */
  wrote(owner: string, key: string, before: string | undefined): void;
  /** Milliseconds after which to look again, unless the store tells before; undefined: everything is shown. */
  waitMs(owner: string): number | undefined;
  forget(owner: string): void;
}

const longestMs = 30_000;
const lookMs = 5_000;

interface Write {
  readonly before: string | undefined;
  readonly at: number;
}

export function createOwnWrites(store: ReadonlyMap<string, ApiObject>, clock: Pick<Timer, "monotonic">): OwnWrites {
  const owners = new Map<string, Map<string, Write>>();
  return {
    wrote(owner, key, before) {
      const writes = owners.get(owner) ?? new Map<string, Write>();
      owners.set(owner, writes.set(key, { before, at: clock.monotonic() }));
    },
    waitMs(owner) {
      const writes = owners.get(owner);
      if (writes === undefined) return undefined;
      for (const [key, { before, at }] of writes) {
        const isShown = store.get(key)?.metadata.resourceVersion !== before;
        if (isShown || clock.monotonic() - at >= longestMs) writes.delete(key);
      }
      if (writes.size > 0) return lookMs;
      owners.delete(owner);
      return undefined;
    },
    forget: (owner) => void owners.delete(owner),
  };
}
