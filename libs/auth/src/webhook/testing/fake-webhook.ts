import { setImmediate as turn } from "node:timers/promises";
import type { Span } from "@orch/status/span.js";
import type { Post, WebhookObserver } from "../ask.js";
import type { ConditionObserver } from "../authorizer.js";

/** A webhook whose answers are a list: one for each question, errors thrown; then the last one again. */
export interface FakeWebhook {
  readonly post: Post;
  readonly questions: object[];
  /** What each question was part of. */
  readonly spans: (Span | undefined)[];
  /** What was told of it: `asked success`, `open error`, `problem …`. */
  readonly told: string[];
  readonly observer: WebhookObserver & ConditionObserver;
}

export type FakeAnswer = Error | "never" | { readonly [name: string]: unknown } | string | number | null;

export function fakeWebhook(...answers: readonly FakeAnswer[]): FakeWebhook {
  const questions: object[] = [];
  const spans: (Span | undefined)[] = [];
  const told: string[] = [];
  return {
    questions,
    spans,
    told,
    async post(body, { span }) {
      spans.push(span);
      const answer = answers[Math.min(questions.push(body), answers.length) - 1];
      await turn();
      if (answer instanceof Error) throw answer;
      return answer === "never" ? await new Promise(() => {}) : answer;
    },
    observer: {
      asked: (result) => void told.push(`asked ${result}`),
      failedOpen: (result) => void told.push(`open ${result}`),
      matched: (result) => void told.push(`conditions ${result}`),
      problem: (why) => void told.push(`problem ${why}`),
    },
  };
}
