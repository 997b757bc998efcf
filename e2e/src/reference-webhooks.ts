import type { Asked, Reaction, WebhookServer } from "./harness/servers/webhook-server.js";
import type { Row, WebhookSaying } from "./reference-rows.js";

/** A question to a webhook, as far as an answer needs it. */
export interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: { readonly uid: string };
}

/** What webhooks of a row do; each list is said from its beginning. */
export function reactionsTo(said: NonNullable<Row["webhooks"]>): (asked: Asked<Review>) => Reaction {
  const times = new Map<string, number>();
  return ({ path, body }) => {
    const [at = ""] = path.split("?");
    const time = times.get(at) ?? 0;
    times.set(at, time + 1);
    return reactionOf(sayingAt(said[at] ?? allowing, time), body);
  };
}

function sayingAt(said: WebhookSaying | readonly WebhookSaying[], time: number): WebhookSaying {
  if (!isList(said)) return said;
  return said[Math.min(time, said.length - 1)] ?? allowing;
}

const isList = (said: WebhookSaying | readonly WebhookSaying[]): said is readonly WebhookSaying[] =>
  Array.isArray(said);

const allowing: WebhookSaying = { response: {} };

function reactionOf(saying: WebhookSaying, { kind, apiVersion, request: { uid } }: Review): Reaction {
  if (saying === "close" || saying === "hang") return saying;
  if (typeof saying === "number") return { code: saying, text: "" };
  if ("body" in saying) {
    const { body, code = 200, headers = {} } = saying;
    return { code, headers, text: typeof body === "string" ? body : JSON.stringify(body).replaceAll("<uid>", uid) };
  }
  const { response, afterMs = 0 } = saying;
  const { patch } = response;
  const patched = Array.isArray(patch) ? { patchType: "JSONPatch", patch: base64(JSON.stringify(patch)) } : {};
  return { json: { kind, apiVersion, response: { uid, allowed: true, ...response, ...patched } }, afterMs };
}

/** What was asked, as rows show it. */
export function askedOf({ asked }: WebhookServer<Review>): readonly object[] {
  return asked.map(({ path, body }) => ({ path: path.split("?")[0], ...body }));
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
