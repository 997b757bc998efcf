import { tooLarge } from "@orch/status/api-error.js";

export interface Limits {
  readonly keyBytes: number;
  readonly valueBytes: number;
}

/** What a medium is given. */
interface Sized {
  readonly key: string;
  readonly value: Buffer | undefined;
}

/** @throws ApiError RequestEntityTooLarge */
export function checkKeySize(key: string, limits: Limits): void {
  const keyBytes = Buffer.byteLength(key);
  if (keyBytes > limits.keyBytes) throw tooLarge(`a key has at most ${limits.keyBytes} bytes, this one ${keyBytes}`);
}

/** Refuses a change that the medium could not take; lmdb in particular must never see one. */
export function checkSize(change: Sized, limits: Limits): void {
  checkKeySize(change.key, limits);
  const valueBytes = change.value?.length ?? 0;
  if (valueBytes > limits.valueBytes) {
    throw tooLarge(`a stored value has at most ${limits.valueBytes} bytes, this one ${valueBytes}`);
  }
}

/** All keys live under the store's prefix; another one is a fault of the caller. */
export function checkPrefix(key: string, prefix: string): void {
  if (!key.startsWith(prefix))
    throw new RangeError(`the key ${JSON.stringify(key)} is outside of ${JSON.stringify(prefix)}`);
}
