import { randomFillSync } from "node:crypto";

/** Asking the system costs more than the bytes: a few thousand are taken at once, and each is given away once. */
const pooled = 8 << 10;
let pool = Buffer.alloc(0);
let at = 0;

/** Writes random bytes into a buffer: nonces, keys. */
export function putRandom(target: Buffer, from: number, length: number): void {
  if (at + length > pool.length) {
    pool = randomFillSync(Buffer.allocUnsafeSlow(Math.max(pooled, length)));
    at = 0;
  }
  pool.copy(target, from, at, at + length);
  // What was given away must not be read here later.
  pool.fill(0, at, at + length);
  at += length;
}
