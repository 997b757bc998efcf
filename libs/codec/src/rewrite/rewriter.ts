import type { ChunkMemory } from "@orch/status/chunk-memory.js";

/**
 * Writes one JSON text anew in another layout, part by part, wherever the parts begin and end. What it holds does not
 * grow with the text, but with its longest string.
 *
 *     rewriter.feed(part);
 *     do send(rewriter.next()); while (!rewriter.usedUp);   // and then the next part
 *
 * The text must be valid JSON: this server printed it.
 */
export interface Rewriter {
  /** The next part of the text; read until it is used up, and not after. */
  feed(part: Buffer): void;
  /** What comes next of the new text: about {@link sliceBytes} at the most, less where the part is used up. */
  next(): Buffer;
  readonly usedUp: boolean;
}

/** Of the new text in one go: a millisecond of work, about. */
export const sliceBytes = 64 * 1024;
/** Memory of a slice: what begins before the slice is full seldom ends behind this. */
export const sliceMemory = sliceBytes + 8 * 1024;

/** The new text of a whole one that is small. */
export function rewritten(rewriter: Rewriter, text: Buffer): Buffer {
  const slices: Buffer[] = [];
  rewriter.feed(text);
  do slices.push(rewriter.next());
  while (!rewriter.usedUp);
  return Buffer.concat(slices);
}

/** What a rewriter makes; it grows where one text is longer than a slice. */
export class Slice {
  bytes: Buffer;
  at = 0;
  readonly #memory: ChunkMemory;

  constructor(memory: ChunkMemory) {
    this.#memory = memory;
    this.bytes = memory.take(sliceMemory);
  }

  /** Makes room for so many bytes from here on. */
  room(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * this.bytes.length + bytes);
    this.bytes.copy(larger, 0, 0, this.at);
    this.#memory.giveBack(this.bytes);
    this.bytes = larger;
  }

  byte(byte: number): void {
    this.room(1);
    this.bytes[this.at++] = byte;
  }

  ascii(text: string): void {
    this.room(text.length);
    this.at += this.bytes.write(text, this.at, "latin1");
  }

  copy(source: Buffer, from: number, to: number): void {
    const length = to - from;
    this.room(length);
    const { bytes, at } = this;
    if (length > fewBytes) source.copy(bytes, at, from, to);
    else for (let i = 0; i < length; i++) bytes[at + i] = source[from + i] ?? 0;
    this.at = at + length;
  }

  /** A new line that begins with so many spaces. */
  line(spaces: number): void {
    this.byte(newline);
    this.spaces(spaces);
  }

  spaces(count: number): void {
    this.room(count);
    const { bytes, at } = this;
    if (count > fewBytes) bytes.fill(space, at, at + count);
    else for (let i = 0; i < count; i++) bytes[at + i] = space;
    this.at = at + count;
  }

  get done(): Buffer {
    return this.bytes.subarray(0, this.at);
  }
}

/** Are written faster one by one. */
const fewBytes = 48;

export const newline = 0x0a;
export const space = 0x20;
export const quote = 0x22;
export const backslash = 0x5c;
export const comma = 0x2c;
export const colon = 0x3a;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
