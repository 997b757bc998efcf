import { tooLarge } from "@orch/status/api-error.js";
import type { Change } from "./store.js";

/** `bytes` of values and notes. */
export const maxTransaction = { changes: 2048, bytes: 16 << 20 } as const;

/** Of value and note. */
export function bytesOfChange({ value, note }: Pick<Change, "value" | "note">): number {
  return (value?.length ?? 0) + (note?.value.length ?? 0);
}

/** @throws ApiError RequestEntityTooLarge */
export function checkTransaction(changes: readonly Change[]): void {
  const { changes: most, bytes: mostBytes } = maxTransaction;
  if (changes.length > most) throw tooLarge(`a transaction has at most ${most} changes, this one ${changes.length}`);
  const bytes = changes.reduce((sum, change) => sum + bytesOfChange(change), 0);
  if (bytes > mostBytes) throw tooLarge(`a transaction has at most ${mostBytes} bytes, this one ${bytes}`);
  // Which of two comes first is nothing that a transaction says.
  const keys = new Set(changes.map(({ key }) => key));
  if (keys.size < changes.length) throw new RangeError("two changes of a transaction are of one key");
}
