import { readJson } from "@orch/status/read-json.js";
import type { Bearer } from "./bearer.js";
import { asFailure, Failure, failureOf } from "./failure.js";
import { readLines } from "./lines.js";

export interface AskOptions {
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  /** Runs once an answer that goes on has begun. */
  readonly opened?: () => void;
}

export interface SendOptions extends AskOptions {
  readonly contentType?: string;
}

/** The server's API with the rights of whoever signed in. Every method throws a {@link Failure}. */
export interface Api {
  get(path: string, options?: AskOptions): Promise<unknown>;
  text(path: string, options?: AskOptions): Promise<string>;
  /** The answer's document and what the server warns of. */
  send(method: string, path: string, body: unknown, options?: SendOptions): Promise<Sent>;
  /** Gives each line of an answer that goes on, until it ends. */
  lines(path: string, take: (line: string) => void, options?: AskOptions): Promise<void>;
  /** Gives the text of an answer that goes on, piece by piece. */
  stream(path: string, take: (text: string) => void, options?: AskOptions): Promise<void>;
  /** A connection that goes on as a WebSocket. */
  socket(path: string, protocol: string): WebSocket;
}

export interface Sent {
  readonly document: unknown;
  readonly warnings: readonly string[];
}

export interface ApiDeps {
  /** Where the server is: `https://host` and what a proxy has put before its paths. */
  readonly root: string;
  readonly bearer: Bearer;
  /** The subprotocol in which a WebSocket shows its token, without the token. */
  readonly tokenProtocol: string;
  /** The server does not take the credentials any more, as a sentence says. */
  readonly ended: (why: string) => void;
}

/** What is asked, but for who asks. Its body is a text: it can be sent twice. */
interface AskInit {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly signal: AbortSignal | null;
}

const retriesMs = [300, 1000] as const;

export function createApi({ root, bearer, tokenProtocol, ended }: ApiDeps): Api {
  async function attempt(path: string, init: AskInit): Promise<Response> {
    const token = bearer.token();
    const identity: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    try {
      return await fetch(root + path, {
        ...{ ...init, headers: { ...identity, ...init.headers } },
        cache: "no-store",
        credentials: "same-origin",
        redirect: "error",
      });
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw new Failure(0, "The server does not answer.");
    }
  }

  /** What changes nothing is asked again where no answer came: the network of whoever reads may just have changed. */
  async function attemptAgain(path: string, init: AskInit): Promise<Response> {
    const isRead = init.method === undefined;
    for (const waitMs of isRead ? retriesMs : []) {
      try {
        return await attempt(path, init);
      } catch (error) {
        if (init.signal?.aborted === true) throw error;
      }
      await pause(waitMs);
    }
    return attempt(path, init);
  }

  /** Whether a refused request is worth another try: with a newer token. */
  async function hasNewer(token: string | undefined): Promise<boolean> {
    try {
      if (token !== undefined && (await bearer.isReplaced(token))) return true;
      ended("the server does not take your credentials any more.");
    } catch (error) {
      ended(asFailure(error).message);
    }
    return false;
  }

  async function ask(path: string, init: AskInit): Promise<Response> {
    const token = bearer.token();
    let response = await attemptAgain(path, init);
    if (response.status === 401 && (await hasNewer(token))) {
      response = await attempt(path, init);
      if (response.status === 401) ended("the server does not take your credentials any more.");
    }
    if (response.ok) return response;
    throw failureOf(response.status, documentOf(await response.text().catch(() => "")));
  }

  const reading = ({ accept = "application/json", signal }: AskOptions = {}): AskInit => ({
    headers: { Accept: accept },
    signal: signal ?? null,
  });
  return {
    get: async (path, options) => readJson(await (await ask(path, reading(options))).text()),
    text: async (path, options) => (await ask(path, reading({ accept: "*/*", ...options }))).text(),
    async send(method, path, body, { accept = "application/json", contentType = "application/json", signal } = {}) {
      const response = await ask(path, {
        ...{ method, signal: signal ?? null },
        headers: { Accept: accept, "Content-Type": contentType },
        body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
      });
      return { document: documentOf(await response.text()), warnings: warningsOf(response.headers.get("warning")) };
    },
    async lines(path, take, options) {
      const { body } = await ask(path, reading(options));
      options?.opened?.();
      if (body !== null) await readLines(body, take);
    },
    async stream(path, take, options) {
      const { body } = await ask(path, reading({ accept: "*/*", ...options }));
      options?.opened?.();
      if (body === null) return;
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) take(part.value);
    },
    socket(path, protocol) {
      const token = bearer.token();
      const shown = token === undefined ? [] : [tokenProtocol + base64url(token)];
      return new WebSocket(root.replace("http", "ws") + path, [protocol, ...shown]);
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function documentOf(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    return { message: asFailure(error).status === 0 && text.length < 300 ? text.trim() : "" };
  }
}

function base64url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** `299 - "text", 299 - "text"`: the texts (RFC 7234, 5.5). */
export function warningsOf(header: string | null): readonly string[] {
  if (header === null) return [];
  const found: string[] = [];
  let text: string | undefined;
  for (let at = 0; at < header.length; at++) {
    const char = header[at];
    if (char === '"') {
      if (text !== undefined) found.push(text);
      text = text === undefined ? "" : undefined;
    } else if (text !== undefined) {
      if (char === "\\") at++;
      text += header[at] ?? "";
    }
  }
  return found;
}
