import { setFlagsFromString } from "node:v8";

/** Percent by which the heap, and what buffers take beside it, may grow before all of it is looked through again. */
const growth = 60;

const leastMajor = 26;

/**
 * For a process through which many bytes go: by default V8 looks through the whole heap, however little of it is new, each time that
 * buffers of 64 MB were made; by this they count as what is on the heap does. A list of 12 MB costs a gateway and a watch cache half.
 */
export function countBuffersAsHeap(): void {
  // Older engines do not know it, and say so.
  if (Number.parseInt(process.versions.node, 10) >= leastMajor)
    setFlagsFromString("--external-memory-accounted-in-global-limit");
}

/**
 * For a process that keeps many objects, once it has loaded them: by default V8 lets garbage become as much as they are,
 * and what a burst of writes has taken is never given back.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${growth}`);
}
