/**
 * Joins the parts of a body as they come. It holds at most twice their bytes, however small the parts are; an array of the
 * parts would take 1.2 GB for 3 MiB in parts of one byte.
 */
export interface GatheredBytes {
  /** The first part is kept as it is, because it is usually the only one; the bytes of the others are copied. */
  add(part: Buffer): void;
  readonly length: number;
  /** The bytes that were added so far, in order. */
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
