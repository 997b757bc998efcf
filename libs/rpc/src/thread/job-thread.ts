import type { Worker } from "node:worker_threads";
import { ApiError, unavailable } from "@orch/status/api-error.js";
import type { Clock } from "@orch/status/clock.js";
import { callClock } from "../clock.js";
import { callerClosed } from "../errors.js";
import type { RpcLog } from "../log.js";
import { type Order, outcomeOf, type Report, resultOf } from "./messages.js";
import { createWaitingLine } from "./waiting-line.js";

export interface JobThreadOptions<Question, Answer> {
  /** Starts the thread: at the first job, and again after a thread that died or was idle for too long. */
  readonly start: () => Worker;
  /** What jobs may ask of this thread. @throws ApiError */
  readonly answer: (question: Question) => Promise<Answer>;
  /** Whether the answer to a question may wait for other jobs: until it comes, its job leaves its place to the next one. */
  readonly waitsForOthers?: (question: Question) => boolean;
  readonly log: RpcLog;
  readonly limits?: Partial<ThreadLimits>;
  readonly clock?: Pick<Clock, "after">;
}

export interface ThreadLimits {
  /** How many jobs run at once: while one waits for an answer, another computes. */
  readonly atOnce: number;
  /** How many bytes of jobs may wait; beyond that, jobs are refused. One owner may have half of them. */
  readonly waitingBytes: number;
  /** How long the thread may be silent while it has jobs before it is ended. */
  readonly silentMs: number;
  /** How long an idle thread is kept; its memory is freed when it ends. */
  readonly idleMs: number;
}

export const defaultThreadLimits: ThreadLimits = {
  atOnce: 2,
  waitingBytes: 64 << 20,
  silentMs: 20_000,
  idleMs: 60_000,
};

export interface JobOptions {
  /** The owner of the job. Jobs of different owners take turns. */
  readonly owner: string;
  readonly bytes: number;
  /** Memory that is transferred to the thread with the job instead of being copied. */
  readonly transfer?: readonly ArrayBuffer[];
  /** The job registers here how to end early: it leaves the line, or gets no more answers. */
  readonly onCancel?: (cancel: () => void) => void;
}

/**
 * Runs work that would block the event loop for long in a thread of its own. The two sides talk by messages alone. If the
 * thread runs out of memory or hangs, only its jobs are lost.
 */
export interface JobThread<Job, Result> {
  /** @throws ApiError TooManyRequests, ServiceUnavailable or what the job throws */
  run(job: Job, options: JobOptions): Promise<Result>;
  close(): Promise<void>;
  /** For metrics. */
  readonly counts: ThreadCounts;
}

export interface ThreadCounts {
  readonly running: number;
  readonly waiting: number;
  /** Jobs that the thread has answered. */
  readonly done: number;
  /** Threads that died while they had jobs. */
  readonly deaths: number;
}

interface Entry<Job, Result> {
  readonly job: Job;
  readonly options: JobOptions;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  cancelled: boolean;
}

export function createJobThread<Job, Result, Question, Answer>(
  options: JobThreadOptions<Question, Answer>,
): JobThread<Job, Result> {
  const { answer, log, clock = callClock, waitsForOthers = () => false } = options;
  const limits = { ...defaultThreadLimits, ...options.limits };
  const line = createWaitingLine<Entry<Job, Result>>();
  const running = new Map<number, Entry<Job, Result>>();
  const bytesOf = new Map<string, number>();
  let worker: Worker | undefined;
  let [lastId, waiting, waitingBytes, done, deaths] = [0, 0, 0, 0, 0];
  /** The running jobs that wait for others: nothing is heard of them. */
  const held = new Set<number>();
  const active = (): number => running.size - held.size;
  const count = ({ owner, bytes }: JobOptions, by: 1 | -1): void => {
    waiting += by;
    waitingBytes += by * bytes;
    const own = (bytesOf.get(owner) ?? 0) + by * bytes;
    if (own > 0) bytesOf.set(owner, own);
    else bytesOf.delete(owner);
  };
  let closed = false;
  let cancelTimer = (): void => {};

  /** The only timer: it runs out when the thread was silent, or idle, for too long. */
  const watch = (): void => {
    cancelTimer();
    if (worker === undefined || (held.size > 0 && active() === 0)) return;
    const expired = (): void => {
      const thread = worker;
      if (thread === undefined) return;
      if (running.size > 0) log.error({ silentMs: limits.silentMs }, "a thread did not come back and is ended");
      else worker = undefined;
      void thread.terminate();
    };
    cancelTimer = clock.after(running.size > 0 ? limits.silentMs : limits.idleMs, expired);
  };

  const post = (thread: Worker, order: Order<Job, Answer>, transfer: readonly ArrayBuffer[] = []): void => {
    thread.postMessage(order, transfer);
  };

  const heard = (thread: Worker, report: Report<Result, Question>): void => {
    if (report.type === "ask") {
      const { question, job } = report;
      if (running.has(job) && waitsForOthers(report.value)) {
        held.add(job);
        fill();
      }
      void outcomeOf(() => {
        if (running.get(job)?.cancelled !== false) throw unavailable("nobody waits for this any more");
        return answer(report.value);
      }).then((outcome) => {
        held.delete(job);
        post(thread, { type: "answer", question, outcome });
        // The thread was idle until now.
        watch();
      });
    }
    if (report.type === "done") {
      const entry = running.get(report.job);
      running.delete(report.job);
      done += 1;
      try {
        entry?.resolve(resultOf(report.outcome));
      } catch (error) {
        entry?.reject(error);
      }
      fill();
    }
    watch();
  };

  const died = (thread: Worker, cause: unknown): void => {
    if (worker !== thread) return;
    worker = undefined;
    deaths += 1;
    log.error({ err: cause, jobs: running.size }, "a thread died with its jobs");
    const lost = [...running.values()];
    running.clear();
    held.clear();
    for (const entry of lost) entry.reject(lostWith(cause));
    fill();
    watch();
  };

  const begun = (): Worker => {
    const thread = options.start();
    let cause: unknown;
    thread.on("message", (report: Report<Result, Question>) => heard(thread, report));
    thread.on("error", (error) => {
      cause = error;
    });
    thread.on("exit", () => died(thread, cause));
    return thread;
  };

  const fill = (): void => {
    while (active() < limits.atOnce) {
      const entry = line.next();
      if (entry === undefined) return;
      count(entry.options, -1);
      worker ??= begun();
      const id = ++lastId;
      running.set(id, entry);
      post(worker, { type: "job", id, job: entry.job }, entry.options.transfer);
      watch();
    }
  };

  return {
    run(job, jobOptions) {
      const { owner, bytes } = jobOptions;
      if (closed) return Promise.reject(callerClosed());
      const own = (bytesOf.get(owner) ?? 0) + bytes;
      if (waitingBytes + bytes > limits.waitingBytes || own > limits.waitingBytes / 2) return Promise.reject(tooMany());
      return new Promise((resolve, reject) => {
        const entry = { job, options: jobOptions, resolve, reject, cancelled: false };
        line.add(owner, entry);
        count(jobOptions, 1);
        jobOptions.onCancel?.(() => {
          entry.cancelled = true;
          if (!line.remove(owner, entry)) return;
          count(jobOptions, -1);
          reject(unavailable("nobody waits for this any more"));
        });
        fill();
      });
    },
    async close() {
      closed = true;
      cancelTimer();
      for (const entry of line.drain()) entry.reject(callerClosed());
      const thread = worker;
      worker = undefined;
      for (const entry of running.values()) entry.reject(callerClosed());
      running.clear();
      await thread?.terminate();
    },
    get counts() {
      return { running: running.size, waiting, done, deaths };
    },
  };
}

function tooMany(): ApiError {
  return new ApiError("TooManyRequests", "Too many large requests, please try again later.", {
    details: { retryAfterSeconds: 1 },
  });
}

/** Whether the thread had asked for a write to be stored only its asker knows: see there. */
function lostWith(cause: unknown): ApiError {
  const memory = cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY";
  const why = memory
    ? "it needed more memory than a request may have"
    : "it took too long, or the thread that did it ended";
  return new ApiError("InternalError", `the request was given up: ${why}`);
}
