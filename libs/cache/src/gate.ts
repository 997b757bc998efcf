/** Readers that wait for the mirror to reach a revision. */
export interface Gate {
  readonly revision: number;
  advance(revision: number): void;
  /** Starts anew at a revision that may be older: the store was set back. Who waits for more goes on waiting. */
  reset(revision: number): void;
  /** True as soon as the revision is reached; false after `timeoutMs`, or as soon as `onGone` says that nobody waits. */
  reach(revision: number, timeoutMs: number, onGone?: (giveUp: () => void) => void): Promise<boolean>;
}

interface Waiter {
  readonly revision: number;
  readonly settle: (reached: boolean) => void;
}

export function createGate(initial: number): Gate {
  let current = initial;
  const waiters = new Set<Waiter>();
  const reset = (revision: number): void => {
    current = revision;
    for (const waiter of waiters) if (waiter.revision <= current) waiter.settle(true);
  };
  return {
    get revision() {
      return current;
    },
    advance(revision) {
      if (revision > current) reset(revision);
    },
    reset,
    reach(revision, timeoutMs, onGone) {
      if (revision <= current) return Promise.resolve(true);
      return new Promise((resolve) => {
        const waiter: Waiter = {
          revision,
          settle: (reached) => {
            clearTimeout(timer);
            waiters.delete(waiter);
            resolve(reached);
          },
        };
        const timer = setTimeout(() => waiter.settle(false), timeoutMs);
        waiters.add(waiter);
        onGone?.(() => waiter.settle(false));
      });
    },
  };
}
