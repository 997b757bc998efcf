import { ApiError, type Status } from "@orch/status/api-error.js";

/** To the thread: a job, or the answer to what a job of its asked. */
export type Order<Job, Answer> =
  | { readonly type: "job"; readonly id: number; readonly job: Job }
  | { readonly type: "answer"; readonly question: number; readonly outcome: Outcome<Answer> };

/** From the thread. `job` is the id of the asking job. */
export type Report<Result, Question> =
  | { readonly type: "ready" }
  | { readonly type: "ask"; readonly job: number; readonly question: number; readonly value: Question }
  | { readonly type: "done"; readonly job: number; readonly outcome: Outcome<Result> };

/** The outcome of a call as a message. Errors go as data, because they would lose their class on the way. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly status: Status }
  /** The error was not an ApiError. */
  | { readonly ok: false; readonly fault: { readonly message: string; readonly stack: string | undefined } };

export async function outcomeOf<T>(run: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, status: error.toStatus() };
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { ok: false, fault: { message, stack } };
  }
}

/** @throws the error of the other side */
export function resultOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  if ("status" in outcome) throw ApiError.fromStatus(outcome.status);
  const error = new Error(outcome.fault.message);
  if (outcome.fault.stack !== undefined) error.stack = outcome.fault.stack;
  throw error;
}

/** Copies bytes into memory of their own: transferring a piece would transfer all the memory that it lies in. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

/** Bytes that came in a message, without a copy. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
