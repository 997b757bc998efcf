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
const none = Buffer.alloc(0);

export function createGatheredBytes(): GatheredBytes {
  return new Gathered();
}

/** A class: closures for its methods would cost every request. */
class Gathered implements GatheredBytes {
  #memory: Buffer = none;
  length = 0;

  add(part: Buffer): void {
    if (this.length === 0) this.#memory = part;
    else {
      this.#room(this.length + part.length);
      part.copy(this.#memory, this.length);
    }
    this.length += part.length;
  }

  bytes(): Buffer {
    return this.length === this.#memory.length ? this.#memory : this.#memory.subarray(0, this.length);
  }

  #room(bytes: number): void {
    if (bytes <= this.#memory.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * this.length, leastMemory));
    this.#memory.copy(larger, 0, 0, this.length);
    this.#memory = larger;
  }
}
