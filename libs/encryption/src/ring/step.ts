import type { Opened } from "@orch/store/transformed.js";
import type { Refusal } from "../providers/cipher.js";

/** One provider in the chain of a resource: it opens what begins with its prefix. */
export interface Step {
  /** Empty for values that stand as they are. */
  readonly prefix: Buffer;
  /** @throws ApiError where nothing can be sealed now */
  seal(plain: Buffer, key: string, told: Told): Buffer | Promise<Buffer>;
  /** `stored` is the whole value, prefix and all. */
  open(stored: Buffer, key: string, told: Told): StepOpened | Promise<StepOpened>;
}

/** Of whose value it is, for metrics. */
export interface Told {
  readonly resource: string;
}

export type StepOpened = { readonly ok: true; readonly value: Buffer; readonly stale: boolean } | Refusal;

export type { Opened };

/** Byte by byte: for so few, Buffer.compare takes longer than to open a value. */
export function beginsWith(stored: Buffer, prefix: Buffer, at = 0): boolean {
  if (at + prefix.length > stored.length) return false;
  for (let i = 0; i < prefix.length; i++) if (stored[at + i] !== prefix[i]) return false;
  return true;
}
