import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printClientConfig } from "@orch/client/config.js";
import type { Naming } from "@orch/naming/naming.js";
import { issueAuthority, issueServing } from "@orch/pki/certificates.js";
import { valueAt } from "../http.js";

/** A SubjectAccessReview or a TokenReview as it came. */
export interface Question {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** What is answered: a status that is put into the review, a whole answer of one's own, or none at all. */
export type Reply =
  | { readonly status: object }
  | { readonly code?: number; readonly headers?: Readonly<Record<string, string>>; readonly text: string }
  | "never";

/** A webhook on HTTPS at loopback, which knows what to say of whom; of tokens too. */
export interface AccessWebhook {
  readonly url: string;
  /** What its client configuration file presents. */
  readonly token: string;
  /** Path of a client configuration file that leads to it. */
  readonly configFile: string;
  /** By user, or by token; nothing is said of others. A function gives what is said of a review. */
  readonly replies: Map<string, Reply | ((review: unknown) => Reply)>;
  /** What it was asked of a user or a token. */
  askedOf(user: string): readonly Question[];
  /** It does not listen until it is started again, at the same address. */
  stop(): Promise<void>;
  restart(): Promise<void>;
  /** Stops it for good. */
  close(): Promise<void>;
}

export const allow: Reply = { status: { allowed: true } };
export const deny = (reason: string): Reply => ({ status: { allowed: false, denied: true, reason } });
export const silent: Reply = { status: { allowed: false } };

export async function startAccessWebhook(naming: Naming): Promise<AccessWebhook> {
  const folder = await mkdtemp(join(tmpdir(), "orch-webhook-"));
  const now = Date.now();
  const authority = await issueAuthority("webhook", now);
  const serving = await issueServing(authority, ["127.0.0.1"], now);
  const token = randomBytes(16).toString("hex");
  const questions: Question[] = [];
  const replies: AccessWebhook["replies"] = new Map();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
    const { method = "", url = "", headers } = request;
    questions.push({ method, url, headers, body });
    const said = replies.get(userOf(body)) ?? silent;
    const reply = typeof said === "function" ? said(body) : said;
    if (reply === "never") return;
    if ("text" in reply) {
      response.writeHead(reply.code ?? 200, reply.headers).end(reply.text);
      return;
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Object.assign({}, body, { status: reply.status })));
  };
  const server = createServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the webhook does not listen on a port");
    return address.port;
  };
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };

  const port = await listen(0);
  const url = `https://127.0.0.1:${port}/authorize?v=1`;
  const configFile = join(folder, "webhook.conf");
  const ca = authority.certificate;
  await writeFile(configFile, printClientConfig({ naming, server: url, ca, user: "apiserver", token }));
  return {
    ...{ url, token, configFile, replies, stop },
    askedOf: (user) => questions.filter(({ body }) => userOf(body) === user),
    restart: async () => void (await listen(port)),
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface HookOptions {
  readonly name: string;
  readonly webhook: AccessWebhook;
  readonly fields?: object;
}

/** An authorizer of a configuration file: one that goes on without an answer, unless its fields say otherwise. */
export function hook({ name, webhook, fields = {} }: HookOptions): object {
  return {
    type: "Webhook",
    name,
    webhook: {
      timeout: "3s",
      subjectAccessReviewVersion: "v1",
      failurePolicy: "NoOpinion",
      connectionInfo: { type: "KubeConfigFile", kubeConfigFile: webhook.configFile },
      ...fields,
    },
  };
}

/** The text of a file of `--authorization-config`. */
export const configuration = (authorizers: readonly object[]): string =>
  JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthorizationConfiguration", authorizers });

const userOf = (review: unknown): string => String(valueAt(review, "spec.user") ?? valueAt(review, "spec.token"));
