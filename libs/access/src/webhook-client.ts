import { type Post, WebhookError, type WebhookFailure } from "@orch/auth/webhook/ask.js";
import { type ClientConfig, presented } from "@orch/client/config.js";
import { createConnections } from "@orch/client/connections.js";
import { fixedCredentials } from "@orch/client/credentials.js";
import { createGatheredBytes } from "@orch/codec/gathered-bytes.js";
import { readJson } from "@orch/status/read-json.js";
import { type Dispatcher, request } from "undici";

export interface WebhookClient {
  readonly post: Post;
  close(): Promise<void>;
}

export interface WebhookClientOptions {
  /** Milliseconds since 1970: for a `Retry-After` that is a date. */
  readonly now: () => number;
  readonly userAgent?: string;
  /** Connections at most. */
  readonly connections?: number;
  /** Questions at once, waiting ones included: more fail at once, so that an outage does not fill the memory. */
  readonly maxQuestions?: number;
  readonly maxAnswerBytes?: number;
}

/**
 * Asks the webhook that a client configuration file tells of: JSON by POST to its very address. Redirects are not
 * followed: who is asked is for the configuration to say.
 * @throws Error for an address that is not https; http is for this machine alone
 */
export function webhookClient(config: ClientConfig, options: WebhookClientOptions): WebhookClient {
  const { connections = 32, maxQuestions = 1024, maxAnswerBytes = 1024 * 1024 } = options;
  const { origin, pathname, search } = addressOf(config.server);
  const open = createConnections(config, { timeoutMs: longestMs, limit: connections, multiplexed: false });
  const source = config.credentials ?? fixedCredentials(presented(config));
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": options.userAgent ?? "orch-webhook",
  };
  let questions = 0;

  const ask = async (body: object, signal: AbortSignal): Promise<unknown> => {
    try {
      const credentials = await source.current();
      const { authorization } = credentials;
      const answer = await request(`${origin}${pathname}${search}`, {
        dispatcher: open.of(credentials).dispatcher,
        method: "POST",
        headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
        body: JSON.stringify(body),
        headersTimeout: 0,
        bodyTimeout: 0,
        signal,
      });
      if (answer.statusCode === 401) source.refused(credentials);
      return await decoded(answer, { maxAnswerBytes, now: options.now });
    } catch (error) {
      throw failureOf(error, signal.aborted);
    }
  };

  return {
    async post(body, { timeoutMs }) {
      if (questions >= maxQuestions) {
        throw new WebhookError("too many questions wait for an answer", { reason: "connection", retry: false });
      }
      questions += 1;
      const time = new AbortController();
      // undici looks at a signal once there is a connection, which may take longer.
      const expiry = new Promise<never>((_, reject) => {
        time.signal.addEventListener("abort", () => reject(late()), { once: true });
      });
      const timer = setTimeout(() => time.abort(), timeoutMs);
      const answer = ask(body, time.signal).finally(() => {
        questions -= 1;
      });
      try {
        return await Promise.race([answer, expiry]);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => open.close(),
  };
}

/** Each question says for itself how long it may take. */
const longestMs = 60_000;

const late = (): WebhookError => new WebhookError("there was no answer in time", { reason: "timeout", retry: false });

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function addressOf(server: string): URL {
  const url = new URL(server);
  if (url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname))) return url;
  throw new Error(`the webhook's address ${url.origin} is not https`);
}

async function decoded(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { maxAnswerBytes, now }: { readonly maxAnswerBytes: number; readonly now: () => number },
): Promise<unknown> {
  if (statusCode < 200 || statusCode > 299) {
    await body.dump({ limit: 16_384 });
    throw new WebhookError(`the webhook answered ${statusCode}`, {
      reason: statusCode === 504 ? "timeout" : "status",
      retry: statusCode === 429 || statusCode >= 500,
      ...retryAfterOf(headers["retry-after"], now()),
    });
  }
  const answer = createGatheredBytes();
  for await (const part of body) {
    answer.add(part);
    // Leaving the loop ends the connection.
    if (answer.length > maxAnswerBytes) throw notUnderstood(`the answer is longer than ${maxAnswerBytes} bytes`);
  }
  try {
    return readJson(answer.bytes().toString("utf8"));
  } catch {
    throw notUnderstood("the answer is no JSON"); // without its text: it may say again what was asked
  }
}

const notUnderstood = (why: string): WebhookError => new WebhookError(why, { reason: "answer", retry: false });

/** `Retry-After` in seconds or as a date. */
function retryAfterOf(header: string | string[] | undefined, now: number): Pick<WebhookFailure, "retryAfterMs"> {
  if (typeof header !== "string") return {};
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? {} : { retryAfterMs: Math.max(0, ms) };
}

const timeoutCodes = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT",
]);
/** A connection that was there and broke: another may hold. */
const brokenCodes = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** Codes and messages of connections are fit for a log: neither undici nor node puts a header or a body in them. */
function failureOf(error: unknown, expired: boolean): WebhookError {
  if (error instanceof WebhookError) return error;
  if (expired) return late();
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const text = error instanceof Error ? error.message : "unknown";
  return new WebhookError(
    `the webhook can not be reached: ${text === "" ? code : text}`,
    { reason: timeoutCodes.has(code) ? "timeout" : "connection", retry: brokenCodes.has(code) },
    { cause: error },
  );
}
