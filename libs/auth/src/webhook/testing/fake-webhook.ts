import { setImmediate as turn } from "node:timers/promises";
import type { Post, WebhookClock, WebhookObserver } from "../ask.js";

/** A clock that stands still until it is told to go on. */
export interface TestClock extends WebhookClock {
  /** Moves on, with what becomes due, and lets what follows from it happen before it goes further. */
  advance(ms: number): Promise<void>;
}

async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await turn();
}

export function createTestClock(): TestClock {
  let time = 1000;
  const due = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    monotonic: () => time,
    after(ms, run) {
      const entry = { at: time + ms, run };
      due.add(entry);
      return () => void due.delete(entry);
    },
    async advance(ms) {
      const end = time + ms;
      for (;;) {
        await settle();
        const [next] = [...due].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        due.delete(next);
        time = next.at;
        next.run();
      }
      time = end;
      await settle();
    },
  };
}

/** A webhook whose answers are a list: one for each question, errors thrown; then the last one again. */
export interface FakeWebhook {
  readonly post: Post;
  readonly questions: object[];
  /** What was told of it: `asked success`, `open error`, `problem …`. */
  readonly told: string[];
  readonly observer: WebhookObserver;
}

export type FakeAnswer = Error | "never" | { readonly [name: string]: unknown } | string | number | null;

export function fakeWebhook(...answers: readonly FakeAnswer[]): FakeWebhook {
  const questions: object[] = [];
  const told: string[] = [];
  return {
    questions,
    told,
    async post(body) {
      const answer = answers[Math.min(questions.push(body), answers.length) - 1];
      await turn();
      if (answer instanceof Error) throw answer;
      return answer === "never" ? await new Promise(() => {}) : answer;
    },
    observer: {
      asked: (result) => void told.push(`asked ${result}`),
      failedOpen: (result) => void told.push(`open ${result}`),
      problem: (why) => void told.push(`problem ${why}`),
    },
  };
}
