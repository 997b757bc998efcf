import { putRaw, putUtf8, reserve, type Writer } from "../backward-writer.js";
import { wireType } from "./wire.js";

const longestVarint = 10;

/** 0 to 2^53 - 1. */
export function putVarint(w: Writer, value: number): void {
  reserve(w, longestVarint);
  const { bytes } = w;
  if (value < 0x80) {
    bytes[--w.at] = value;
    return;
  }
  if (value < 0x4000) {
    bytes[--w.at] = value >>> 7;
    bytes[--w.at] = (value & 0x7f) | 0x80;
    return;
  }
  let size = 3;
  for (let rest = Math.floor(value / 0x200000); rest > 0; rest = Math.floor(rest / 0x80)) size++;
  w.at -= size;
  let rest = value;
  for (let i = 0; i < size - 1; i++) {
    bytes[w.at + i] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  bytes[w.at + size - 1] = rest;
}

/** A whole number in two's complement of 64 bits: ten bytes where it is negative, for 32-bit fields too. */
export function putInteger(w: Writer, value: number): void {
  if (value >= 0) putVarint(w, value);
  else putBigInteger(w, BigInt(value));
}

export function putBigInteger(w: Writer, value: bigint): void {
  reserve(w, longestVarint);
  const digits: number[] = [];
  for (let rest = BigInt.asUintN(64, value); ; rest >>= 7n) {
    digits.push(Number(rest & 0x7fn));
    if (rest < 0x80n) break;
  }
  w.at -= digits.length;
  digits.forEach((digit, i) => {
    w.bytes[w.at + i] = i < digits.length - 1 ? digit | 0x80 : digit;
  });
}

export function putDouble(w: Writer, value: number): void {
  reserve(w, 8);
  w.at -= 8;
  w.bytes.writeDoubleLE(value, w.at);
}

/** UTF-8 with its length before it. */
export function putText(w: Writer, text: string): void {
  putVarint(w, putUtf8(w, text));
}

/** Base64 text as the bytes that it stands for, with their length. */
export function putBase64(w: Writer, text: string): void {
  const bytes = Buffer.from(text, "base64");
  putRaw(w, bytes);
  putVarint(w, bytes.length);
}

/** The tag of a field whose payload has a length, after (that is: before) the payload. */
export function putDelimitedTag(w: Writer, number: number): void {
  putVarint(w, number * 8 + wireType.delimited);
}
