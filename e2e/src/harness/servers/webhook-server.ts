import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { issueAuthority, issueServing } from "@orch/pki/certificates.js";

/** A review as it came. */
export interface Asked<Review> {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Review;
}

/** What a webhook does with a question. */
export type Reaction =
  /** At once, after milliseconds, or once something has happened. */
  | { readonly json: object; readonly afterMs?: number; readonly after?: Promise<unknown> }
  | { readonly code: number; readonly text: string; readonly headers?: Readonly<Record<string, string>> }
  /** Takes the question and says nothing. */
  | "hang"
  /** Ends the connection. */
  | "close"
  /** Sends bytes without end. */
  | "flood";

/** A webhook on HTTPS at loopback that does as it is told. */
export interface WebhookServer<Review> {
  readonly port: number;
  /** Base64, as configurations have it. */
  readonly caBundle: string;
  /** Everything that it was asked, in order. */
  readonly asked: Asked<Review>[];
  /** How it reacts from now on. */
  react(reaction: (asked: Asked<Review>) => Reaction): void;
  url(path: string): string;
  close(): Promise<void>;
}

export async function startWebhookServer<Review>(
  names: readonly string[] = ["127.0.0.1"],
): Promise<WebhookServer<Review>> {
  const now = Date.now();
  const authority = await issueAuthority("webhook", now);
  const serving = await issueServing(authority, names, now);
  const asked: Asked<Review>[] = [];
  let reaction: (asked: Asked<Review>) => Reaction = () => ({ code: 500, text: "nothing is to be said yet" });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body: Review = JSON.parse(Buffer.concat(parts).toString("utf8"));
    const one = { path: request.url ?? "", headers: request.headers, body };
    asked.push(one);
    await perform(reaction(one), response);
  };
  const server = createServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the webhook does not listen on a port");
  const { port } = address;
  return {
    port,
    caBundle: Buffer.from(authority.certificate).toString("base64"),
    asked,
    react(to) {
      reaction = to;
    },
    url: (path) => `https://127.0.0.1:${port}${path}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function perform(reaction: Reaction, response: ServerResponse): Promise<void> {
  if (reaction === "hang") return;
  if (reaction === "close") {
    response.destroy();
    return;
  }
  response.setHeader("content-type", "application/json");
  if (reaction === "flood") {
    const chunk = Buffer.alloc(1 << 20, " ");
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", more);
    more();
    return;
  }
  if ("json" in reaction) {
    await delay(reaction.afterMs ?? 0);
    await reaction.after;
    response.end(JSON.stringify(reaction.json));
  } else response.writeHead(reaction.code, reaction.headers).end(reaction.text);
}
