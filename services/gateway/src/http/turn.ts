/** Runs what it is given at the end of this turn of the event loop, in order. */
export type AtTurnEnd = (run: () => void) => void;

/**
 * The responses of one turn are written back to back instead of each as it is ready. A client is woken by the first and
 * finds the others there: at 32 connections that bought 25 % more gets (docs/decisions/009).
 */
export function createAtTurnEnd(): AtTurnEnd {
  let waiting: (() => void)[] = [];
  const flush = (): void => {
    const runs = waiting;
    waiting = [];
    for (const run of runs) run();
  };
  return (run) => {
    if (waiting.push(run) === 1) setImmediate(flush);
  };
}
