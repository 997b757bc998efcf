/** Memory of this many bytes, not zeroed. */
export type Allocate = (size: number) => Buffer;

/**
 * Cuts buffers out of slabs of so many bytes: for many small ones that come and go together. Each has a third of the
 * cost of memory of its own, and keeps its whole slab; what is over a quarter of a slab gets its own.
 */
export function createSlabs(slabBytes: number): Allocate {
  let slab = Buffer.alloc(0);
  let used = 0;
  return (size) => {
    if (size > slabBytes >> 2) return Buffer.allocUnsafeSlow(size);
    if (size > slab.length - used) {
      slab = Buffer.allocUnsafeSlow(slabBytes);
      used = 0;
    }
    const start = used;
    used += size;
    return slab.subarray(start, used);
  };
}
