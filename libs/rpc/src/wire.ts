/**
 * The proto3 wire format for the few messages of the hot path, written straight into their place in a batch:
 * the generated code would copy every payload once more. Tests hold it against the generated code.
 */
export class MalformedError extends Error {}

/** Wire type 0: numbers and flags. */
export const varint = 0;

/** Wire type 2: strings, bytes, packed lists. */
export const lengthDelimited = 2;

/** Wire type 1: doubles. */
export const fixed64 = 1;

export const tag = (field: number, wireType: number): number => (field << 3) | wireType;

/** Bytes of an unsigned 32-bit varint. */
export function varintSize(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}

/** Writes an unsigned 32-bit varint and returns the position after it. */
export function writeVarint(target: Buffer, at: number, value: number): number {
  while (value > 0x7f) {
    target[at++] = (value & 0x7f) | 0x80;
    value >>>= 7;
  }
  target[at++] = value;
  return at;
}

const wholes32 = 2 ** 32;

/** Bytes of the varint of a whole number that is safe: revisions, counts. */
export function wholeSize(value: number): number {
  if (value < wholes32) return varintSize(value);
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes;
}

/** Writes a whole number that is safe as a varint and returns the position after it. */
export function writeWhole(target: Buffer, at: number, value: number): number {
  let rest = value;
  for (; rest >= wholes32; rest = Math.floor(rest / 0x80)) target[at++] = (rest % 0x80) | 0x80;
  return writeVarint(target, at, rest);
}

/** Size of a field of a whole number whose tag takes one byte; 0 when it is 0 and so left out. */
export function wholeFieldSize(value: number): number {
  return value === 0 ? 0 : 1 + wholeSize(value);
}

/** A field of a whole number; 0 is left out, as proto3 has it. */
export function writeWholeField(
  target: Buffer,
  at: number,
  field: { readonly tag: number; readonly value: number },
): number {
  if (field.value === 0) return at;
  target[at++] = field.tag;
  return writeWhole(target, at, field.value);
}

/** A flag that is set, whose tag takes one byte; one that is not is left out. */
export const flagFieldSize = (flag: boolean): number => (flag ? 2 : 0);

/** Writes a flag that is set and returns the position after it. */
export function writeFlagField(
  target: Buffer,
  at: number,
  field: { readonly tag: number; readonly flag: boolean },
): number {
  if (!field.flag) return at;
  target[at++] = field.tag;
  target[at++] = 1;
  return at;
}

/** Size of a field of a message of `size` bytes whose tag takes one byte: unlike texts it is told though it is empty. */
export const messageFieldSize = (size: number): number => 1 + varintSize(size) + size;

/** Size of a length-delimited field of `length` bytes whose tag takes one byte; 0 when it is empty and so left out. */
export function fieldSize(length: number): number {
  return length === 0 ? 0 : 1 + varintSize(length) + length;
}

const shortText = 40;

/** UTF-8 bytes of a text. */
export function textLength(text: string): number {
  if (text.length > shortText) return Buffer.byteLength(text);
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return Buffer.byteLength(text);
  return text.length;
}

/** A non-empty string field of `length` UTF-8 bytes; an empty one is left out, as proto3 has it. */
export function writeText(target: Buffer, at: number, field: { readonly tag: number; readonly text: string }): number {
  const { text } = field;
  if (text === "") return at;
  const length = textLength(text);
  target[at++] = field.tag;
  at = writeVarint(target, at, length);
  if (length > shortText || length !== text.length) return at + target.write(text, at, length, "utf8");
  for (let i = 0; i < length; i++) target[at++] = text.charCodeAt(i);
  return at;
}

export function writeBytes(
  target: Buffer,
  at: number,
  field: { readonly tag: number; readonly bytes: Uint8Array },
): number {
  const { bytes } = field;
  if (bytes.length === 0) return at;
  target[at++] = field.tag;
  at = writeVarint(target, at, bytes.length);
  target.set(bytes, at);
  return at + bytes.length;
}

/** A Buffer on the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads the fields of one message. @throws MalformedError for malformed bytes */
export interface WireReader {
  at: number;
  readonly end: number;
  /** A 32-bit varint; longer ones (64-bit values) are refused. */
  varint(): number;
  /** A varint of 64 bits that is a safe whole number; others are refused. */
  whole(): number;
  /** A length, checked against the end; the caller moves `at`. */
  length(): number;
  /** A view of the next length-delimited field. */
  bytes(): Buffer;
  text(): string;
  double(): number;
  /** Skips a field of a newer version. */
  skip(tag: number): void;
}

export function createWireReader(source: Buffer, at = 0, end = source.length): WireReader {
  return new Reader(source, at, end);
}

// A class, because a batch makes one reader per message and closures would cost six allocations each.
class Reader implements WireReader {
  readonly #source: Buffer;
  at: number;
  readonly end: number;

  constructor(source: Buffer, at: number, end: number) {
    this.#source = source;
    this.at = at;
    this.end = end;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.at >= this.end) throw new MalformedError("a number is cut short");
      const byte = this.#source[this.at++] ?? 0;
      if (shift === 28 && byte > 0x0f) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new MalformedError("a number exceeds 32 bits");
  }

  whole(): number {
    let value = 0;
    let weight = 1;
    for (let bytes = 0; bytes < 8; bytes++) {
      if (this.at >= this.end) throw new MalformedError("a number is cut short");
      const byte = this.#source[this.at++] ?? 0;
      value += (byte & 0x7f) * weight;
      weight *= 0x80;
      if (byte > 0x7f) continue;
      if (value <= Number.MAX_SAFE_INTEGER) return value;
      break;
    }
    throw new MalformedError("a number exceeds 53 bits");
  }

  length(): number {
    const length = this.varint();
    if (length > this.end - this.at) throw new MalformedError("a field exceeds its message");
    return length;
  }

  bytes(): Buffer {
    const length = this.length();
    const start = this.at;
    this.at += length;
    return this.#source.subarray(start, this.at);
  }

  text(): string {
    const length = this.length();
    const start = this.at;
    this.at += length;
    return this.#source.toString("utf8", start, this.at);
  }

  double(): number {
    if (this.end - this.at < 8) throw new MalformedError("a number is cut short");
    const value = this.#source.readDoubleLE(this.at);
    this.at += 8;
    return value;
  }

  skip(tag: number): void {
    switch (tag & 7) {
      case 0:
        while (this.at < this.end && (this.#source[this.at] ?? 0) > 0x7f) this.at++;
        this.at++;
        break;
      case fixed64:
        this.at += 8;
        break;
      case lengthDelimited: {
        const length = this.length();
        this.at += length;
        break;
      }
      case 5:
        this.at += 4;
        break;
      default:
        throw new MalformedError(`unknown wire type ${tag & 7}`);
    }
    if (this.at > this.end) throw new MalformedError("a field exceeds its message");
  }
}
