/**
 * Joins the parts of a body as they come. It holds at most twice their bytes, however small they are: kept as they came,
 * 3 MiB in parts of one byte take 1.2 GB.
 */
export interface GatheredBytes {
  /** The first part is kept, as most often it is the only one; of all others the bytes are copied. */
  add(part: Buffer): void;
  readonly length: number;
  /** What was added so far, in order. */
  bytes(): Buffer;
}

const leastMemory = 4096;

export function createGatheredBytes(): GatheredBytes {
  let memory: Buffer = Buffer.alloc(0);
  let length = 0;
  const room = (bytes: number): void => {
    if (bytes <= memory.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * length, leastMemory));
    memory.copy(larger, 0, 0, length);
    memory = larger;
  };
  return {
    add(part) {
      if (length === 0) memory = part;
      else {
        room(length + part.length);
        part.copy(memory, length);
      }
      length += part.length;
    },
    get length() {
      return length;
    },
    bytes: () => memory.subarray(0, length),
  };
}
