import type { Observed } from "./observed.js";

export interface ProgressRequests {
  /** Something was delivered: the watch may be up to date again. */
  delivered(): void;
  stop(): void;
}

export interface RequestProgress {
  readonly observed: Observed;
  /** How far the watch has come. */
  delivered(): number;
  /** Asks the server how far it has come; absent where its answer cannot be trusted. */
  readonly send: (() => void) | undefined;
}

/** Events mostly come by themselves: asked for only after a while of nothing, and not more often than so. */
const patienceMs = 100;
const intervalMs = 250;

/**
 * Foreign keys in the same etcd move the revision without an event of ours. While a newer revision
 * is known than was delivered, ask the server for its progress.
 */
export function requestProgress({ observed, delivered, send }: RequestProgress): ProgressRequests {
  if (send === undefined) return { delivered: () => undefined, stop: () => undefined };
  let timer: NodeJS.Timeout | undefined;

  function arm(afterMs: number): void {
    if (timer !== undefined || observed.newest() <= delivered()) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (observed.newest() <= delivered()) return;
      send?.();
      arm(intervalMs);
    }, afterMs);
    timer.unref();
  }

  function disarm(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  const unsubscribe = observed.subscribe(() => arm(patienceMs));
  arm(patienceMs);
  return {
    delivered() {
      disarm();
      arm(patienceMs);
    },
    stop() {
      unsubscribe();
      disarm();
    },
  };
}
