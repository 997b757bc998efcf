import type { EndReply, StageReply, StageRequest, WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import { resourceBegin, resourceEnd, resourceOutcome, resourceStage } from "@orch/rpc/methods.js";
import type { ServerCall, Services } from "@orch/rpc/rpc.js";
import { ApiError, unavailable } from "@orch/status/api-error.js";
import type { Clock } from "@orch/status/clock.js";
import { readJson } from "@orch/status/read-json.js";
import type { Key } from "@orch/store/revision.js";
import type { Change, Store } from "@orch/store/store.js";
import { createStaged, notTogether, type Staged, tooLate, uidOfNew } from "./write/storing/staged.js";

/** What a write is performed with beside its request. */
export interface Staging {
  /** The store as the write of the object with this key has it, or of one whose key begins so. */
  readonly storeOver: (store: Store, key: Key) => Store;
  /** That its object is to have, whatever the write leaves it. */
  readonly status: unknown;
}

export interface TransactionsDeps {
  /** With everything that stands around it for writes. */
  readonly store: Store;
  readonly perform: (request: WriteRequest, call: ServerCall, staging: Staging) => Promise<WriteReply>;
  readonly clock: Pick<Clock, "after">;
  readonly newId: () => string;
}

/**
 * Writes that are stored together: a write is performed as any other, and waits where it would be stored. Who stages them is
 * told that it waits, and holds nothing for it; nothing here waits for a write that has not come. What is not ended in its time
 * is given up.
 */
export function serveTransactions(services: Services, deps: TransactionsDeps): void {
  const { transactions } = deps.store;
  const open = createOpenTransactions(deps);
  services.unary(resourceBegin, ({ timeoutMs }) => ({
    transaction: transactions === undefined ? "" : open.begin(timeoutMs),
  }));
  services.unary(resourceStage, (request, call) => stage(open.find(request.transaction), request, { ...deps, call }));
  services.unary(resourceEnd, async ({ transaction, staged: wanted }): Promise<EndReply> => {
    const one = open.find(transaction);
    const { staged } = one;
    try {
      // What is not what the other side takes it for is not stored.
      if (wanted === 0 || wanted !== staged.size || transactions === undefined) {
        staged.giveUp(notTogether());
        return { done: false, refused: [] };
      }
      const refused = await staged.commit(transactions);
      return { done: refused.length === 0, refused };
    } finally {
      one.close();
    }
  });
  services.unary(resourceOutcome, async ({ transaction, member }) => {
    const one = open.find(transaction);
    const reply = one.replies.get(member);
    if (reply === undefined) throw unavailable("the transaction has no such write");
    try {
      return await reply;
    } finally {
      one.answered(member);
    }
  });
}

/** Performs a write until it waits, or is over. @throws ApiError what it is refused for */
function stage(
  { staged, replies, answered }: Open,
  { member, write, status }: StageRequest,
  { perform, call }: Pick<TransactionsDeps, "perform"> & { readonly call: ServerCall },
): Promise<StageReply> {
  let isStaged = false;
  let tell = (_change: Change): void => {};
  const waits = new Promise<StageReply>((resolve) => {
    tell = (change) => {
      isStaged = true;
      resolve({ staged: true, uid: uidOfNew(change) });
    };
  });
  const reply = perform(write, call, {
    storeOver: (below, key) => staged.storeFor(member, below, { key, onStaged: tell }),
    status: status === undefined ? undefined : readJson(status.toString("utf8")),
  });
  // Who asks for it may come later than it fails.
  reply.catch(() => {});
  replies.set(member, reply);
  const direct = reply
    .then((answer): StageReply => ({ staged: false, reply: answer }))
    .finally(() => {
      // Who was told that it waits asks for the answer.
      if (!isStaged) answered(member);
    });
  return Promise.race([waits, direct]);
}

/** Open at once: each holds what waits in it. */
const mostOpen = 32;
/** A transaction lives as long at most; services' numbers wait for theirs (`allocation/takings.ts`), and are not given to others by then. */
const longestMs = 120_000;
/** For which answers wait to be asked for, once the transaction is over. */
const keptMs = 30_000;

interface Open {
  readonly staged: Staged;
  /** Of writes that are performed, or were and nobody has asked yet what they came to. */
  readonly replies: Map<number, Promise<WriteReply>>;
  /** Nothing is staged any more. */
  close(): void;
  /** What a write came to is known to who wants to know it. */
  answered(member: number): void;
}

function createOpenTransactions({ clock, newId }: Pick<TransactionsDeps, "clock" | "newId">) {
  const all = new Map<string, Open>();
  /** Of them those that are not over. */
  let live = 0;

  const begin = (timeoutMs: number): string => {
    if (live >= mostOpen) throw new ApiError("TooManyRequests", "too many transactions are open");
    const id = newId();
    const staged = createStaged();
    const replies: Open["replies"] = new Map();
    let isOver = false;
    let cancelTimer = (): void => {};
    const forget = (): void => {
      cancelTimer();
      all.delete(id);
    };
    const one: Open = {
      staged,
      replies,
      close() {
        if (!isOver) live--;
        isOver = true;
        cancelTimer();
        cancelTimer = clock.after(keptMs, forget);
        if (replies.size === 0) forget();
      },
      answered(member) {
        replies.delete(member);
        if (isOver && replies.size === 0) forget();
      },
    };
    all.set(id, one);
    live++;
    cancelTimer = clock.after(Math.min(timeoutMs, longestMs), () => {
      staged.giveUp(tooLate());
      one.close();
    });
    return id;
  };
  return {
    /** The id of a new one. @throws ApiError TooManyRequests */
    begin,
    /** @throws ApiError ServiceUnavailable */
    find(id: string): Open {
      const found = all.get(id);
      if (found === undefined) throw unavailable("the transaction is over");
      return found;
    },
  };
}
