/**
 * Where the memory of chunks comes from. Made anew for each, it lies outside the JavaScript heap, and V8 marks the whole
 * heap, every object of the cache, whenever some 64 MB of it were made: many times a second while lists go out.
 */
export interface ChunkMemory {
  /** Memory for so many bytes, with anything in it. What is never given back is left to the garbage collector. */
  take(bytes: number): Buffer;
  /** What {@link take} gave; nobody reads it any more. */
  giveBack(chunk: Buffer): void;
}

export const freshMemory: ChunkMemory = { take: (bytes) => Buffer.allocUnsafeSlow(bytes), giveBack: () => {} };

/** Keeps pieces of `pieceBytes` to be used again, so many that they have `maxBytes` together; a larger one is made anew. */
export function createReusedMemory(options: { readonly pieceBytes: number; readonly maxBytes: number }): ChunkMemory {
  const { pieceBytes, maxBytes } = options;
  const free: Buffer[] = [];
  return {
    take(bytes) {
      if (bytes > pieceBytes) return freshMemory.take(bytes);
      const piece = free.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
      return piece.subarray(0, bytes);
    },
    giveBack({ buffer }) {
      if (buffer.byteLength === pieceBytes && (free.length + 1) * pieceBytes <= maxBytes)
        free.push(Buffer.from(buffer));
    },
  };
}
