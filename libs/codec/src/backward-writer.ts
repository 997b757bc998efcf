/**
 * Bytes written from the end to the start, so that a length is known when it is its turn and nothing is measured
 * beforehand (here a Protobuf text, field 1):
 *
 *     put "ab"      put its length 2      put its tag
 *     … 61 62       … 02 61 62            … 0a 02 61 62
 */
export interface Writer {
  bytes: Buffer;
  /** The first byte written. */
  at: number;
}

/** Most objects fit; a buffer that has grown beyond `kept` is not kept. */
const initial = 16 * 1024;
const kept = 256 * 1024;

// All writers share one buffer: a writer neither waits nor starts another before it has finished.
let shared: Buffer = Buffer.allocUnsafeSlow(initial);

/** What `write` writes, in memory of its own. */
export function written(write: (w: Writer) => void): Buffer {
  const w: Writer = { bytes: shared, at: shared.length };
  write(w);
  if (w.bytes.length <= kept) shared = w.bytes;
  const result = Buffer.allocUnsafeSlow(w.bytes.length - w.at);
  w.bytes.copy(result, 0, w.at);
  return result;
}

/** The number of bytes written; the difference of two readings is the size of what was written in between. */
export function sizeOf(w: Writer): number {
  return w.bytes.length - w.at;
}

/** Makes place for `size` bytes more before those written. */
export function reserve(w: Writer, size: number): void {
  if (w.at < size) grow(w, size);
}

function grow(w: Writer, size: number): void {
  const used = sizeOf(w);
  const bytes = Buffer.allocUnsafeSlow(Math.max(w.bytes.length * 2, used + size));
  const at = bytes.length - used;
  w.bytes.copy(bytes, at, w.at);
  w.bytes = bytes;
  w.at = at;
}

/** Bytes as they are, without a length. */
export function putRaw(w: Writer, bytes: Uint8Array): void {
  reserve(w, bytes.length);
  w.at -= bytes.length;
  w.bytes.set(bytes, w.at);
}

/** A part of other bytes, without a length. */
export function putBytes(
  w: Writer,
  bytes: Buffer,
  { from, size }: { readonly from: number; readonly size: number },
): void {
  reserve(w, size);
  w.at -= size;
  if (size > shortText) {
    bytes.copy(w.bytes, w.at, from, from + size);
    return;
  }
  const { bytes: into, at } = w;
  for (let i = 0; i < size; i++) into[at + i] = bytes[from + i] ?? 0;
}

// Up to here a loop over ASCII is faster than the call out of JavaScript (protobuf.bench.ts).
const shortText = 48;

/** UTF-8, without a length: gives it. */
export function putUtf8(w: Writer, text: string): number {
  if (text.length <= shortText && putAscii(w, text)) return text.length;
  const size = Buffer.byteLength(text);
  reserve(w, size);
  w.at -= size;
  w.bytes.write(text, w.at, "utf8");
  return size;
}

/** Writes nothing and returns false if the text is not ASCII. */
function putAscii(w: Writer, text: string): boolean {
  reserve(w, shortText);
  const { bytes } = w;
  let at = w.at;
  for (let i = text.length - 1; i >= 0; i--) {
    const char = text.charCodeAt(i);
    if (char >= 0x80) return false;
    bytes[--at] = char;
  }
  w.at = at;
  return true;
}
