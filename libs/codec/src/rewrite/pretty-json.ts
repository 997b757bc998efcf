import { type ChunkMemory, freshMemory } from "@orch/status/chunk-memory.js";
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  newline,
  openBrace,
  openBracket,
  quote,
  type Rewriter,
  Slice,
  sliceBytes,
  space,
} from "./rewriter.js";

/** Indents a JSON text by two spaces and ends it with a newline, as `JSON.stringify(value, null, 2)` and one do. */
export function prettyJson(memory: ChunkMemory = freshMemory): Rewriter {
  return new PrettyJson(memory);
}

const none = Buffer.alloc(0);

class PrettyJson implements Rewriter {
  readonly #memory: ChunkMemory;
  #part: Buffer = none;
  #at = 0;
  #depth = 0;
  /** A brace or bracket was opened and nothing has followed it yet. */
  #opened = false;
  #inString = false;
  #escaped = false;

  constructor(memory: ChunkMemory) {
    this.#memory = memory;
  }

  get usedUp(): boolean {
    return this.#at >= this.#part.length;
  }

  feed(part: Buffer): void {
    this.#part = part;
    this.#at = 0;
  }

  next(): Buffer {
    const slice = new Slice(this.#memory);
    const part = this.#part;
    while (this.#at < part.length && slice.at < sliceBytes) {
      if (this.#inString) this.#string(slice);
      else this.#outside(part[this.#at++] ?? space, slice);
    }
    return slice.done;
  }

  /** Goes on in a string, to its end or that of the part or slice. */
  #string(slice: Slice): void {
    const part = this.#part;
    const from = this.#at;
    const until = Math.min(part.length, from + sliceBytes - slice.at);
    let at = from;
    let escaped = this.#escaped;
    for (; at < until; at++) {
      const byte = part[at];
      if (escaped) escaped = false;
      else if (byte === backslash) escaped = true;
      else if (byte === quote) {
        at++;
        this.#inString = false;
        break;
      }
    }
    this.#escaped = escaped;
    this.#at = at;
    slice.copy(part, from, at);
  }

  #outside(byte: number, slice: Slice): void {
    switch (byte) {
      case comma:
        slice.byte(comma);
        slice.line(2 * this.#depth);
        return;
      case colon:
        slice.byte(colon);
        slice.byte(space);
        return;
      case openBrace:
      case openBracket:
        this.#first(slice);
        slice.byte(byte);
        this.#depth++;
        this.#opened = true;
        return;
      case closeBrace:
      case closeBracket:
        this.#depth--;
        if (!this.#opened) slice.line(2 * this.#depth);
        this.#opened = false;
        slice.byte(byte);
        if (this.#depth === 0) slice.byte(newline);
        return;
      default:
        // Spaces and newlines between the tokens.
        if (byte <= space) return;
        this.#first(slice);
        slice.byte(byte);
        this.#inString = byte === quote;
    }
  }

  /** What is first within braces or brackets begins a line. */
  #first(slice: Slice): void {
    if (!this.#opened) return;
    this.#opened = false;
    slice.line(2 * this.#depth);
  }
}
