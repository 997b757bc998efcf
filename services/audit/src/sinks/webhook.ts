import type { EventLine } from "@orch/audit/event.js";
import type { OutboundCaller, Question } from "@orch/outbound/caller.js";
import { CallError } from "@orch/outbound/failure.js";
import { messageOf } from "@orch/status/message-of.js";
import { type Sink, type Written, written } from "./sink.js";

export interface WebhookTarget {
  readonly to: Question["to"];
  readonly credentialsOf: Question["credentialsOf"];
  readonly timeoutMs: number;
}

export interface WebhookSinkDeps {
  readonly caller: OutboundCaller;
  readonly print: (lines: readonly EventLine[]) => Buffer;
}

/** What a webhook answers means nothing but that it has the events. */
const maxAnswerBytes = 64 * 1024;

/** Of the codes that blame who asks, those that may be over with the next question. */
const passing: ReadonlySet<number> = new Set([401, 403, 404, 408, 425, 429]);

/** Sends events as an EventList by POST. */
export function createWebhookSink({ to, credentialsOf, timeoutMs }: WebhookTarget, deps: WebhookSinkDeps): Sink {
  const { caller, print } = deps;
  return {
    name: "webhook",
    async write(batch): Promise<Written> {
      try {
        await caller.post({ to, body: print(batch), timeoutMs, tellTimeout: true, maxAnswerBytes, credentialsOf });
        return written;
      } catch (error) {
        const why = messageOf(error);
        // An answer came: it was empty, or longer than anybody reads.
        if (error instanceof CallError && error.failure === "answer") return written;
        const status = error instanceof CallError ? (error.status ?? 0) : 0;
        const isRefusal = status >= 400 && status <= 499 && !passing.has(status);
        return { outcome: isRefusal ? "refused" : "failed", why };
      }
    },
    close: () => caller.close(),
  };
}
