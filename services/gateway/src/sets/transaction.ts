import type { EndReply, StageReply, WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import { resourceBegin, resourceEnd, resourceOutcome, resourceStage } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Clock } from "@orch/status/clock.js";
import type { Staging } from "../staging.js";

/** Writes that a resource service stores together, or none of them. */
export interface Transaction {
  /** By which requests of one member go their way; `at` is its place among the others. */
  member(at: number): MemberStaging;
  /** A write of the set itself. @throws ApiError */
  stage(at: number, request: WriteRequest, status?: object): Promise<StageReply>;
  /** Stores what is staged, if anything is. @throws ApiError */
  commit(): Promise<EndReply>;
  /** The answer of what was staged, after the commit. @throws ApiError */
  outcome(at: number): Promise<WriteReply>;
  /** Nothing is stored, unless it was before. Never fails: what nobody ends is given up after its time. */
  giveUp(): Promise<void>;
}

export interface MemberStaging extends Staging {
  /** Settles when the write waits for the others, with the uid of an object that it creates. */
  readonly staged: Promise<string>;
}

export interface TransactionOptions {
  readonly service: Caller;
  readonly clock: Clock;
  /** By when everything must be done, in milliseconds that only grow. */
  readonly deadline: number;
}

/** Undefined where the store has no transactions. @throws ApiError */
export async function beginTransaction({
  service,
  clock,
  deadline,
}: TransactionOptions): Promise<Transaction | undefined> {
  const left = (most = Number.POSITIVE_INFINITY): number => {
    const ms = Math.floor(Math.min(most, deadline - clock.monotonic()));
    if (ms <= 0) throw new ApiError("Timeout", "the time of the request is over");
    return ms;
  };
  const timeoutMs = left();
  const { transaction } = await service.call(resourceBegin, { timeoutMs }, { deadlineMs: timeoutMs });
  if (transaction === "") return undefined;
  let count = 0;
  let isOver = false;
  let tellEnded = (): void => {};
  const ended = new Promise<void>((resolve) => {
    tellEnded = resolve;
  });
  const end = async (staged: number): Promise<EndReply> => {
    isOver = true;
    try {
      return await service.call(resourceEnd, { transaction, staged }, { deadlineMs: left() });
    } finally {
      tellEnded();
    }
  };
  const giveUp = async (): Promise<void> => {
    if (!isOver) await end(0).catch(() => {});
  };
  const outcome = (member: number): Promise<WriteReply> =>
    service.call(resourceOutcome, { transaction, member }, { deadlineMs: left() });
  return {
    member(at) {
      let tell = (_uid: string): void => {};
      const staged = new Promise<string>((resolve) => {
        tell = resolve;
      });
      return {
        staged,
        async write(request, { deadlineMs, span, onStaged }) {
          if (isOver) throw new ApiError("Conflict", "what was to be written together with this is over");
          const asked = { transaction, member: at, write: request };
          const answer = await service.call(resourceStage, asked, { deadlineMs: left(deadlineMs), span });
          if (!answer.staged) return answer.reply;
          count++;
          onStaged();
          tell(answer.uid);
          await ended;
          return outcome(at);
        },
      };
    },
    async stage(at, write, status) {
      const bytes = status === undefined ? {} : { status: Buffer.from(JSON.stringify(status)) };
      const answer = await service.call(
        resourceStage,
        { transaction, member: at, write, ...bytes },
        { deadlineMs: left() },
      );
      if (answer.staged) count++;
      return answer;
    },
    async commit() {
      if (count > 0) return end(count);
      await giveUp();
      return { done: true, refused: [] };
    },
    outcome,
    giveUp,
  };
}
