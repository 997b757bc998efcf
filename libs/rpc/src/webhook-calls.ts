import type { Span } from "@orch/status/span.js";
import { CallRefused } from "./call-refused.js";
import type { CallPurpose } from "./messages.js";
import { admissionCall } from "./methods.js";
import type { Caller } from "./rpc.js";

/** A question to a webhook; `client` is its WebhookClientConfig. */
export interface WebhookCall {
  readonly client: object;
  readonly body: Buffer;
  readonly timeoutMs: number;
  /** What the call is part of, where that is traced: the webhook is told. */
  readonly span?: Span | undefined;
}

/** What the way to the webhook may take beside the webhook's own time. */
const graceMs = 1_000;

/** Asks webhooks through the service that makes all calls to them. The calls reject with a {@link CallRefused}. */
export function webhookCalls(
  caller: Pick<Caller, "call">,
  purpose: CallPurpose,
): (call: WebhookCall) => Promise<Buffer> {
  /** A configuration is the same object until it changes. */
  const texts = new WeakMap<object, string>();
  const textOf = (client: object): string => {
    const text = texts.get(client) ?? JSON.stringify(client);
    texts.set(client, text);
    return text;
  };
  return async ({ client, body, timeoutMs, span }) => {
    const request = { purpose, client: textOf(client), body, timeoutMs };
    const reply = await caller.call(admissionCall, request, { deadlineMs: timeoutMs + graceMs, span });
    if (reply.type === "answered") return reply.body;
    throw new CallRefused(reply);
  };
}
