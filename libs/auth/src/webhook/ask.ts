import type { Clock } from "@orch/status/clock.js";
import type { Span } from "@orch/status/span.js";
import { within } from "../within.js";

/** Sends a question to a webhook and gives its answer, decoded from JSON. @throws WebhookError */
export type Post = (body: object, options: PostOptions) => Promise<unknown>;

export interface PostOptions {
  readonly timeoutMs: number;
  /** What the question is part of, where that is traced: the webhook is told. */
  readonly span?: Span | undefined;
}

export interface WebhookFailure {
  /** `answer`: it is not what an answer must be. */
  readonly reason: "timeout" | "connection" | "status" | "answer";
  /** Whether the same question may be answered a moment later. */
  readonly retry: boolean;
  /** What the webhook asked for, if it did. */
  readonly retryAfterMs?: number;
}

/** Why there is no answer. The message is for the log: it holds nothing of the question and nothing of the answer. */
export class WebhookError extends Error {
  readonly failure: WebhookFailure;

  constructor(message: string, failure: WebhookFailure, options?: ErrorOptions) {
    super(message, options);
    this.name = "WebhookError";
    this.failure = failure;
  }
}

/** An answer that makes no sense; asking again would not mend it. */
export const badAnswer = (what: string): WebhookError =>
  new WebhookError(`the answer is not understood: ${what}`, { reason: "answer", retry: false });

export type WebhookClock = Pick<Clock, "monotonic" | "after">;

export type WebhookResult = "success" | "timeout" | "error";

/** What is to be told of a webhook: metrics and the log. */
export interface WebhookObserver {
  /** Of each round trip: `apiserver_authorization_webhook_evaluations_total`, `…_webhook_duration_seconds`. */
  asked(result: WebhookResult, seconds: number): void;
  /** No answer, and the request goes on without: `apiserver_authorization_webhook_evaluations_fail_open_total`. */
  failedOpen(result: WebhookResult): void;
  /** A sentence for the log, without secrets. */
  problem(why: string): void;
}

export interface AskOptions {
  /** Of the question with all its retries. */
  readonly timeoutMs: number;
  readonly clock: WebhookClock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly observer: Pick<WebhookObserver, "asked">;
  readonly span?: Span | undefined;
}

const late = (): WebhookError => new WebhookError("there was no answer in time", { reason: "timeout", retry: false });

const attempts = 5;
const firstPauseMs = 500;
const pauseFactor = 1.5;
const jitter = 0.2;

/**
 * Asks, and asks again where that may help, within the time. `read` makes the answer a value or throws
 * {@link badAnswer}. @throws WebhookError and nothing else
 */
export async function ask<T>(
  { post, body, read }: { readonly post: Post; readonly body: object; readonly read: (answer: unknown) => T },
  { timeoutMs, clock, random, observer, span }: AskOptions,
): Promise<T> {
  const end = clock.monotonic() + timeoutMs;
  let pauseMs = firstPauseMs;
  for (let attempt = 1; ; attempt++) {
    const start = clock.monotonic();
    const leftMs = end - start;
    const seconds = (): number => (clock.monotonic() - start) / 1000;
    try {
      const value = read(await within(post(body, { timeoutMs: leftMs, span }), leftMs, { after: clock.after, late }));
      observer.asked("success", seconds());
      return value;
    } catch (thrown) {
      const error = webhookError(thrown);
      observer.asked(resultOf(error), seconds());
      const wait = Math.max(pauseMs * (1 + jitter * random()), error.failure.retryAfterMs ?? 0);
      if (!error.failure.retry || attempt === attempts || clock.monotonic() + wait >= end) throw error;
      await new Promise<void>((resolve) => clock.after(wait, resolve));
      pauseMs *= pauseFactor;
    }
  }
}

export const resultOf = (error: WebhookError): WebhookResult =>
  error.failure.reason === "timeout" ? "timeout" : "error";

function webhookError(thrown: unknown): WebhookError {
  if (thrown instanceof WebhookError) return thrown;
  return new WebhookError("asking failed for an unknown reason", { reason: "answer", retry: false }, { cause: thrown });
}
