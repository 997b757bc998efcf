import { type Post, WebhookError, type WebhookFailure } from "@orch/auth/webhook/ask.js";
import { type ClientConfig, presented } from "@orch/client/config.js";
import { fixedCredentials } from "@orch/client/credentials/credentials.js";
import { type ConnectionLimits, createConnections } from "@orch/client/http/connections.js";
import { type Answer, DeadlineExceeded, exchange } from "@orch/outbound/exchange.js";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";
import { type Span, traceHeaders } from "@orch/status/span.js";

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
  /** By which way connections leave; straight where absent. */
  readonly connector?: ConnectionLimits["connector"];
}

/**
 * Asks the webhook that a client configuration file tells of: JSON by POST to its very address. Redirects are not
 * followed: who is asked is for the configuration to say.
 * @throws Error for an address that is not https; http is for this machine alone
 */
export function webhookClient(config: ClientConfig, options: WebhookClientOptions): WebhookClient {
  const { connections = 32, maxQuestions = 1024, maxAnswerBytes = 1024 * 1024 } = options;
  const url = addressOf(config.server);
  const open = createConnections(config, {
    timeoutMs: longestMs,
    limit: connections,
    multiplexed: false,
    connector: options.connector,
  });
  const source = config.credentials ?? fixedCredentials(presented(config));
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": options.userAgent ?? "orch-webhook",
  };
  /** Without what may be a secret. */
  const shownUrl = `${url.origin}${url.pathname}`;
  let questions = 0;

  const ask = async (body: object, timeoutMs: number, span: Span | undefined): Promise<unknown> => {
    try {
      const credentials = await inTime(source.current(), timeoutMs);
      const { authorization } = credentials;
      const answer = await exchange({
        dispatcher: open.of(credentials).dispatcher,
        url,
        headers: { ...headers, ...(authorization === undefined ? {} : { authorization }), ...traceHeaders(span) },
        body: JSON.stringify(body),
        timeoutMs,
        mostBytes: (status) => (isSuccess(status) ? maxAnswerBytes : maxRefusalBytes),
      });
      span?.set({ "http.status_code": answer.status });
      if (answer.status === 401) source.refused(credentials);
      return decoded(answer, { maxAnswerBytes, now: options.now });
    } catch (error) {
      throw failureOf(error);
    }
  };

  /** A span by the reference's name of its HTTP client. */
  const traced = async (body: object, timeoutMs: number, span: Span): Promise<unknown> => {
    const call = span.child("HTTP POST", { "http.method": "POST", "http.url": shownUrl });
    try {
      const answer = await ask(body, timeoutMs, call);
      call.end();
      return answer;
    } catch (error) {
      call.end(messageOf(error));
      throw error;
    }
  };

  return {
    async post(body, { timeoutMs, span }) {
      if (questions >= maxQuestions) {
        throw new WebhookError("too many questions wait for an answer", { reason: "connection", retry: false });
      }
      questions += 1;
      try {
        return await (span === undefined ? ask(body, timeoutMs, undefined) : traced(body, timeoutMs, span));
      } finally {
        questions -= 1;
      }
    },
    close: () => open.close(),
  };
}

/** Of a refusal nothing is told; a short one leaves its connection to the next question. */
const maxRefusalBytes = 16_384;

/** Each question says for itself how long it may take. */
const longestMs = 60_000;

const late = (): WebhookError => new WebhookError("there was no answer in time", { reason: "timeout", retry: false });

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function addressOf(server: string): URL {
  const url = new URL(server);
  if (url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname))) return url;
  throw new Error(`the webhook's address ${url.origin} is not https`);
}

/** A plugin that makes credentials may take longer than whoever asks can wait. @throws DeadlineExceeded */
async function inTime<T>(value: T | Promise<T>, ms: number): Promise<T> {
  if (!(value instanceof Promise)) return value;
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded()), ms);
  });
  return Promise.race([value, expiry]).finally(() => clearTimeout(timer));
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

function decoded(
  { status, headers, body, isCut }: Answer,
  { maxAnswerBytes, now }: { readonly maxAnswerBytes: number; readonly now: () => number },
): unknown {
  if (!isSuccess(status)) {
    throw new WebhookError(`the webhook answered ${status}`, {
      reason: status === 504 ? "timeout" : "status",
      retry: status === 429 || status >= 500,
      ...retryAfterOf(headers["retry-after"], now()),
    });
  }
  if (isCut) throw notUnderstood(`the answer is longer than ${maxAnswerBytes} bytes`);
  try {
    return readJson(body.toString("utf8"));
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
function failureOf(error: unknown): WebhookError {
  if (error instanceof WebhookError) return error;
  if (error instanceof DeadlineExceeded) return late();
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const text = error instanceof Error ? error.message : "unknown";
  return new WebhookError(
    `the webhook can not be reached: ${text === "" ? code : text}`,
    { reason: timeoutCodes.has(code) ? "timeout" : "connection", retry: brokenCodes.has(code) },
    { cause: error },
  );
}
