import { tooLarge } from "@orch/status/api-error.js";
import type { Revision } from "./revision.js";
import type { Change, Entry } from "./store.js";

/**
 * Several changes as one: a part of stores that give each change of a commit a revision of its own, all of which become
 * readable and watchable at the same moment. Where all changes of a transaction have one revision, as in etcd, who reads the
 * first event of it and goes on behind that revision misses the others: such a store has no transactions.
 */
export interface Transactions {
  /**
   * Makes all changes, whose keys differ, in one durable commit, each with a revision of its own, in their order; or none of
   * them. Notes go with their changes. A medium that has no room for all takes none.
   * @throws ApiError as a swap, and RequestEntityTooLarge for more than {@link maxTransaction}
   */
  commit(changes: readonly Change[]): Promise<Transaction>;
}

export type Transaction =
  /** By the places of the changes. */
  | { readonly done: true; readonly revisions: readonly Revision[] }
  /** The changes that stood in the way of all, one at least. */
  | { readonly done: false; readonly refused: readonly Refused[] };

export interface Refused {
  /** The place of the change. */
  readonly at: number;
  /** What stood in the way; absent when the key does not exist. */
  readonly current?: Entry;
}

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
