import { objectOf } from "@orch/codec/json.js";
import type { ObjectMeta } from "@orch/schema/object-meta.js";
import { ApiError, tooLarge, unavailable } from "@orch/status/api-error.js";
import type { Change, Refused, Store, Swap } from "@orch/store/store.js";
import { bytesOfChange, maxTransaction } from "@orch/store/transactions.js";

/** Changes that wait to be made together, each by the place of its write among the others. */
export interface Staged {
  /**
   * The store as a write of the transaction has it: what it reads is there, and the one swap of its object waits for the end. What it
   * writes besides (a quota is charged before) does not. `onStaged` is called when it waits.
   */
  storeFor(member: number, store: Store, own: OwnSwap): Store;
  /** How many changes wait. */
  readonly size: number;
  /** Makes them all or none; which of them stood in the way. @throws ApiError with which nothing was made, unless it says otherwise */
  commit(transactions: NonNullable<Store["transactions"]>): Promise<readonly number[]>;
  /** Nothing is made. */
  giveUp(why: ApiError): void;
}

export interface OwnSwap {
  /** Of the object, or what its key begins with where its name is in its body. */
  readonly key: string;
  readonly onStaged: (change: Change) => void;
}

interface Waiting {
  readonly change: Change;
  readonly resolve: (swap: Swap) => void;
  readonly reject: (error: unknown) => void;
}

/** What a write is answered that could have been stored, beside one that could not. */
export function notTogether(): ApiError {
  return new ApiError("Conflict", "the object was not written: what was to be written together with it could not be");
}

/**
 * No lock is held by what waits here: a change names the revision that it follows, and whoever changes the object meanwhile is
 * in the way of the whole transaction.
 */
export function createStaged(): Staged {
  const waiting = new Map<number, Waiting>();
  const keys = new Set<string>();
  let bytes = 0;
  let over: ApiError | undefined;

  const enter = (member: number, change: Change): Promise<Swap> => {
    if (over !== undefined) return Promise.reject(over);
    if (waiting.has(member) || keys.has(change.key)) return Promise.reject(notTogether());
    bytes += bytesOfChange(change);
    if (bytes > maxTransaction.bytes || waiting.size >= maxTransaction.changes) {
      return Promise.reject(tooLarge("this is more than can be stored together"));
    }
    keys.add(change.key);
    return new Promise((resolve, reject) => waiting.set(member, { change, resolve, reject }));
  };

  return {
    storeFor: (member, store, { key, onStaged }) => ({
      ...store,
      swap(change) {
        if (!change.key.startsWith(key)) return store.swap(change);
        const swap = enter(member, change);
        if (waiting.get(member)?.change === change) onStaged(change);
        return swap;
      },
      transactions: undefined,
    }),
    get size() {
      return waiting.size;
    },
    async commit(transactions) {
      if (over !== undefined) throw over;
      over = notTogether();
      const ordered = [...waiting].sort(([a], [b]) => a - b);
      // From here on the store alone says what becomes of them.
      waiting.clear();
      try {
        const answer = await transactions.commit(ordered.map(([, { change }]) => change));
        if (answer.done) {
          for (const [i, [, one]] of ordered.entries()) {
            const revision = answer.revisions[i];
            if (revision !== undefined) one.resolve({ done: true, revision });
          }
          return [];
        }
        const refused = new Map(answer.refused.map((one) => [one.at, one]));
        for (const [i, [, one]] of ordered.entries()) settle(one, refused.get(i));
        return ordered.flatMap(([member], i) => (refused.has(i) ? [member] : []));
      } catch (error) {
        for (const [, { reject }] of ordered) reject(error);
        throw error;
      }
    },
    giveUp(why) {
      over ??= why;
      for (const { reject } of waiting.values()) reject(why);
      waiting.clear();
    },
  };
}

/** Of a transaction that was refused. */
function settle({ resolve, reject }: Waiting, refused: Refused | undefined): void {
  if (refused === undefined) reject(notTogether());
  else resolve(refused.current === undefined ? { done: false } : { done: false, current: refused.current });
}

/** Of an object that a change creates; "" for another change. */
export function uidOfNew({ expected, value }: Change): string {
  if (expected !== 0 || value === undefined) return "";
  const { metadata = {} }: { readonly metadata?: ObjectMeta } = objectOf(value);
  return metadata.uid ?? "";
}

export function tooLate(): ApiError {
  return unavailable("the transaction was not carried out in its time; nothing was written");
}
