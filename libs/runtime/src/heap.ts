import { setFlagsFromString } from "node:v8";

/** Percent by which the heap, and what buffers take beside it, may grow before all of it is looked through again. */
const growth = 60;

/**
 * For a process that keeps many objects, once it has loaded them: by default V8 lets garbage become as much as they are,
 * and what a burst of writes has taken is never given back.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${growth}`);
}
