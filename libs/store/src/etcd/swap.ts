import { outcomeUnknown } from "@orch/status/api-error.js";
import type { NewNote } from "../notes.js";
import { revision } from "../revision.js";
import type { Change, Swap } from "../store.js";
import type { Calls } from "./calls.js";
import { noteKey } from "./layout.js";
import { compareResult, compareTarget, type TxnRequest, type TxnResponse } from "./methods.js";
import { revisionOf } from "./range.js";
import { resolveLost } from "./resolve-lost.js";
import { toEntry } from "./values.js";

/** One compare-and-swap transaction, sent once (see Store.swap). */
export async function swap(calls: Calls, prefix: string, change: Change): Promise<Swap> {
  const answer = await calls.once(request(prefix, change));
  switch (answer.type) {
    case "answer":
      return toSwap(answer.response);
    case "lost":
      return resolveLost(calls, change, answer.cause);
    case "refused":
      throw answer.error;
    case "compacted":
    case "future":
      // A transaction names no revision to read at: cannot be. If it could, nothing would be known.
      throw outcomeUnknown();
  }
}

function request(prefix: string, { key, expected, value, note }: Change): TxnRequest {
  const bytes = Buffer.from(key);
  const change = value === undefined ? { requestDeleteRange: { key: bytes } } : { requestPut: { key: bytes, value } };
  return {
    compare: [{ result: compareResult.EQUAL, target: compareTarget.MOD, key: bytes, modRevision: expected }],
    success: note === undefined ? [change] : [change, putNote(prefix, note)],
    failure: [{ requestRange: { key: bytes } }],
  };
}

function putNote(prefix: string, { space, key, value }: NewNote): NonNullable<TxnRequest["success"]>[number] {
  return { requestPut: { key: Buffer.from(noteKey(prefix, space, key)), value } };
}

function toSwap(response: TxnResponse): Swap {
  if (response.succeeded === true) return { done: true, revision: revision(revisionOf(response)) };
  const current = response.responses?.[0]?.responseRange?.kvs?.[0];
  return current === undefined ? { done: false } : { done: false, current: toEntry(current) };
}
