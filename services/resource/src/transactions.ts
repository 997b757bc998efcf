import type {
  BeginReply,
  BeginRequest,
  EndReply,
  EndRequest,
  OutcomeRequest,
  StageReply,
  StageRequest,
  WriteReply,
  WriteRequest,
} from "@orch/rpc/messages.js";
import { resourceBegin, resourceEnd, resourceOutcome, resourceStage } from "@orch/rpc/methods.js";
import type { ServerCall, Services } from "@orch/rpc/rpc.js";
import { ApiError, unavailable } from "@orch/status/api-error.js";
import type { Clock } from "@orch/status/clock.js";
import { readJson } from "@orch/status/read-json.js";
import type { Change, Store } from "@orch/store/store.js";
import { createStaged, notTogether, type Staged, tooLate, uidOfNew } from "./write/staged.js";

/** What a write is performed with beside its request. */
export interface Staging {
  /** The store as the write has it. */
  readonly storeOver: (store: Store) => Store;
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
  isOver: boolean;
  cancelTimer: () => void;
}

/**
 * Writes that are stored together: a write is performed as any other, and waits where it would be stored. Who stages them is
 * told that it waits, and holds nothing for it; nothing here waits for a write that has not come. What is not ended in its time
 * is given up.
 */
export function serveTransactions(services: Services, deps: TransactionsDeps): void {
  const { store, clock } = deps;
  const { transactions } = store;
  const open = new Map<string, Open>();
  /** Of them those that are not over. */
  let live = 0;

  const find = (id: string): Open => {
    const found = open.get(id);
    if (found === undefined) throw unavailable("the transaction is over");
    return found;
  };
  const forget = (id: string, one: Open): void => {
    one.cancelTimer();
    open.delete(id);
  };
  const close = (id: string, one: Open): void => {
    if (!one.isOver) live--;
    one.isOver = true;
    one.cancelTimer();
    one.cancelTimer = clock.after(keptMs, () => forget(id, one));
    if (one.replies.size === 0) forget(id, one);
  };
  const answered = (id: string, one: Open, member: number): void => {
    one.replies.delete(member);
    if (one.isOver && one.replies.size === 0) forget(id, one);
  };

  const begin = ({ timeoutMs }: BeginRequest): BeginReply => {
    if (transactions === undefined) return { transaction: "" };
    if (live >= mostOpen) throw new ApiError("TooManyRequests", "too many transactions are open");
    const id = deps.newId();
    const staged = createStaged();
    const one: Open = { staged, replies: new Map(), isOver: false, cancelTimer: () => {} };
    open.set(id, one);
    live++;
    one.cancelTimer = clock.after(Math.min(timeoutMs, longestMs), () => {
      staged.giveUp(tooLate());
      close(id, one);
    });
    return { transaction: id };
  };

  const stage = async ({ transaction, member, write, status }: StageRequest, call: ServerCall): Promise<StageReply> => {
    const one = find(transaction);
    const { staged, replies } = one;
    let isStaged = false;
    let tell = (_change: Change): void => {};
    const waits = new Promise<StageReply>((resolve) => {
      tell = (change) => {
        isStaged = true;
        resolve({ staged: true, uid: uidOfNew(change) });
      };
    });
    const reply = deps.perform(write, call, {
      storeOver: (below) => staged.storeFor(member, below, tell),
      status: status === undefined ? undefined : readJson(status.toString("utf8")),
    });
    // Who asks for it may come later than it fails.
    reply.catch(() => {});
    replies.set(member, reply);
    const direct = reply
      .then((answer): StageReply => ({ staged: false, reply: answer }))
      .finally(() => {
        // Who was told that it waits asks for the answer.
        if (!isStaged) answered(transaction, one, member);
      });
    return Promise.race([waits, direct]);
  };

  const end = async ({ transaction, staged: wanted }: EndRequest): Promise<EndReply> => {
    const one = find(transaction);
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
      close(transaction, one);
    }
  };

  const outcome = async ({ transaction, member }: OutcomeRequest): Promise<WriteReply> => {
    const one = find(transaction);
    const reply = one.replies.get(member);
    if (reply === undefined) throw unavailable("the transaction has no such write");
    try {
      return await reply;
    } finally {
      answered(transaction, one, member);
    }
  };

  services.unary(resourceBegin, begin);
  services.unary(resourceStage, stage);
  services.unary(resourceEnd, end);
  services.unary(resourceOutcome, outcome);
}
