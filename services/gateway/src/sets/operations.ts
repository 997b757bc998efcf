import { ApiError } from "@orch/status/api-error.js";
import type { Clock } from "@orch/status/clock.js";
import { wireTime } from "@orch/status/wire-time.js";
import { tooManyRequests } from "../flow/limiter.js";
import type { ObjectSet, Operation } from "./set-object.js";

/** Changes of sets that a gateway makes at once: each holds its body and many requests. */
const atOnce = 8;
/** For which a change may go on after its time, and clocks of gateways differ. */
const graceMs = 15_000;

export interface OperationsOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  /** No other process makes changes of sets: one that is not known here is over, whatever its time. */
  readonly isAlone: boolean;
}

/** The changes of sets that are under way here. */
export interface Operations {
  /** Runs one, which must be over by the deadline. @throws ApiError TooManyRequests */
  run<T>(limitMs: number, change: (operation: Running) => Promise<T>): Promise<T>;
  /** @throws ApiError Conflict where a change of the set is under way, anywhere */
  checkIdle(set: ObjectSet, name: string): void;
}

export interface Running extends Operation {
  /** In milliseconds that only grow. */
  readonly until: number;
}

/**
 * One change of a set at a time: a change says in the set's status that it is under way and by when it will be over, in a write
 * that only one of two can win. One whose process has died is taken over after its time.
 */
export function createOperations({ clock, newId, isAlone }: OperationsOptions): Operations {
  const running = new Set<string>();
  return {
    async run(limitMs, change) {
      if (running.size >= atOnce) throw tooManyRequests();
      const id = newId();
      running.add(id);
      try {
        const deadline = wireTime(clock.now() + limitMs + graceMs);
        return await change({ id, deadline, until: clock.monotonic() + limitMs });
      } finally {
        running.delete(id);
      }
    },
    checkIdle({ status: { operation } = {} }, name) {
      if (operation === undefined) return;
      const isOver = isAlone ? !running.has(operation.id) : clock.now() > Date.parse(operation.deadline);
      if (isOver) return;
      throw new ApiError(
        "Conflict",
        `another change of set ${JSON.stringify(name)} is under way, until ${operation.deadline} at the latest`,
        {
          details: { retryAfterSeconds: 1 },
        },
      );
    },
  };
}
