import { setImmediate as nextTurn } from "node:timers/promises";

/** Lets the event loop turn when a long synchronous walk has held it for some milliseconds. */
export function createPace(sliceMs = 5): () => Promise<void> | undefined {
  let since = performance.now();
  let steps = 0;
  return () => {
    if (++steps % 64 !== 0 || performance.now() - since < sliceMs) return undefined;
    return nextTurn(undefined).then(() => {
      since = performance.now();
    });
  };
}
