/** The newest durable revision, for those who wait for it to move. */
export interface Tip {
  /** Resolves when the revision is at or above `revision`, the signal aborts, or the store closes. */
  reached(revision: number, signal: AbortSignal): Promise<void>;
  move(revision: number): void;
  closed(): boolean;
  close(): void;
}

export function createTip(start: number): Tip {
  let newest = start;
  let closed = false;
  const waiters = new Set<() => void>();
  const wake = (): void => {
    for (const waiter of [...waiters]) waiter();
  };
  return {
    reached(revision, signal) {
      if (newest >= revision || signal.aborted || closed) return Promise.resolve();
      return new Promise((resolve) => {
        const check = (): void => {
          if (newest < revision && !signal.aborted && !closed) return;
          waiters.delete(check);
          signal.removeEventListener("abort", check);
          resolve();
        };
        waiters.add(check);
        signal.addEventListener("abort", check);
      });
    },
    move(revision) {
      newest = revision;
      wake();
    },
    closed: () => closed,
    close() {
      closed = true;
      wake();
    },
  };
}
