/** Lets streams of large answers go on in turns, so that a small answer never waits behind more than a turn's bytes. */
export interface Pacer {
  /** Runs at once while this turn of the event loop has bytes left, else in a later turn, in order. */
  next(run: () => void): void;
  /** Counts bytes that were written or made. */
  spent(bytes: number): void;
}

/** Bytes of a turn. Encrypting them takes about a quarter of a millisecond. */
const sentBytes = 256 * 1024;

export function createPacer(atTurnEnd: (run: () => void) => void, turnBytes = sentBytes): Pacer {
  let left = turnBytes;
  let scheduled = false;
  const waiting: (() => void)[] = [];
  const turn = (): void => {
    scheduled = false;
    left = turnBytes;
    // One at a time, because the bytes that it spends are known only afterwards.
    waiting.shift()?.();
    if (waiting.length > 0) schedule();
  };
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    atTurnEnd(turn);
  };
  return {
    next(run) {
      if (left > 0 && waiting.length === 0) {
        run();
        return;
      }
      waiting.push(run);
      schedule();
    },
    spent(bytes) {
      left -= bytes;
      schedule();
    },
  };
}
