/**
 * Lends memory for chunks. Memory that is allocated for each chunk lies outside the JavaScript heap, and after every 64 MB of
 * it V8 marks the whole heap, every object of the cache: many times a second while lists go out.
 */
export interface ChunkMemory {
  /** Memory for this many bytes, with arbitrary content. Memory that is never given back is left to the garbage collector. */
  take(bytes: number): Buffer;
  /** Gives back memory of {@link take} that nobody reads any more. */
  giveBack(chunk: Buffer): void;
}

export const freshMemory: ChunkMemory = { take: (bytes) => Buffer.allocUnsafeSlow(bytes), giveBack: () => {} };

/** Keeps pieces of `pieceBytes` for further use, up to `maxBytes` together. A larger piece is always allocated. */
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
