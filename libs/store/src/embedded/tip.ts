/** The newest durable revision, for those who wait for it to move. */
export interface Tip {
  follow(signal: AbortSignal): TipFollower;
  move(revision: number): void;
  close(): void;
}

/** Who waits again and again, one wait at a time; it must leave. */
export interface TipFollower {
  /** The signal has aborted, or the store is closed. */
  readonly over: boolean;
  /** Resolves when the revision is at or above `revision`, or it is over. */
  reached(revision: number): Promise<void>;
  leave(): void;
}

export function createTip(start: number): Tip {
  let newest = start;
  let closed = false;
  const looks = new Set<() => void>();
  const lookAll = (): void => {
    for (const look of looks) look();
  };
  return {
    follow(signal) {
      // Kept here: asking a signal that is made of others, and listening to it anew for each wait, costs more than the wait.
      let aborted = signal.aborted;
      let wanted = 0;
      let resolve: (() => void) | undefined;
      const isOver = (): boolean => aborted || closed;
      const look = (): void => {
        if (newest < wanted && !isOver()) return;
        resolve?.();
        resolve = undefined;
      };
      const abort = (): void => {
        aborted = true;
        look();
      };
      signal.addEventListener("abort", abort);
      looks.add(look);
      return {
        get over() {
          return isOver();
        },
        reached(revision) {
          if (newest >= revision || isOver()) return Promise.resolve();
          wanted = revision;
          return new Promise((done) => {
            resolve = done;
          });
        },
        leave() {
          looks.delete(look);
          signal.removeEventListener("abort", abort);
        },
      };
    },
    move(revision) {
      newest = revision;
      lookAll();
    },
    close() {
      closed = true;
      lookAll();
    },
  };
}
