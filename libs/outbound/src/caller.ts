import { type ConnectionDeps, type Credentials, createConnections } from "./connections.js";
import { type Destination, urlOf } from "./destination.js";
import { type Answer, DeadlineExceeded, exchange } from "./exchange.js";
import { CallError, connectionProblem, isBroken } from "./failure.js";
import { statusProblem } from "./status-problem.js";

/** A question to something that users run: JSON by POST. */
export interface Question {
  readonly to: Destination;
  readonly body: Buffer;
  readonly timeoutMs: number;
  /** Whether the address says how long the answer may take, as those of admission and conversion do. */
  readonly tellTimeout: boolean;
  readonly maxAnswerBytes: number;
  /** What a host is shown of this server; `host` is `name:port`, or `name` for port 443. */
  readonly credentialsOf: (host: string) => Credentials;
  /** Further headers: of the trace that the question is part of. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks what users run, on connections that are kept. */
export interface OutboundCaller {
  /** The body of an answer of 2xx. @throws CallError */
  post(question: Question): Promise<Buffer>;
  close(): Promise<void>;
}

export interface CallerDeps extends ConnectionDeps {
  readonly userAgent: string;
}

/** Redirects are not followed: who is asked is for the configuration to say. */
export function createOutboundCaller(deps: CallerDeps): OutboundCaller {
  const connections = createConnections(deps);

  return {
    async post({ to, body, timeoutMs, tellTimeout, maxAnswerBytes, credentialsOf, headers }) {
      const url = urlOf(to);
      if (tellTimeout) url.searchParams.set("timeout", `${Math.ceil(timeoutMs / 1000)}s`);
      const credentials = credentialsOf(url.host);
      const pool = connections.of(to, credentials);
      const { authorization } = credentials;
      const answer = await exchange({
        dispatcher: pool.agent,
        url,
        headers: {
          accept: "application/json, */*",
          "content-type": "application/json",
          "user-agent": deps.userAgent,
          ...headers,
          ...(authorization === undefined ? {} : { authorization }),
        },
        ...{ body, timeoutMs },
        mostBytes: (status) => (isSuccess(status) ? maxAnswerBytes : maxRefusalBytes),
        // One that was idle may be closed just when it is used; the question was not heard then.
        again: (error) => pool.used && isBroken(error),
      }).catch((error: unknown) => {
        if (error instanceof DeadlineExceeded) {
          throw new CallError("timeout", `${asked(to, url)}: context deadline exceeded`);
        }
        throw new CallError("connection", `${asked(to, url)}: ${connectionProblem(error)}`, { cause: error });
      });
      pool.used = true;
      return bodyOf(answer, maxAnswerBytes);
    },
    close: () => connections.close(),
  };
}

/** The port of a Service is told also where it is the usual one. */
function asked({ endpoint }: Destination, url: URL): string {
  const port = endpoint.type === "service" && url.port === "" ? `:${endpoint.service.port}` : "";
  return `Post "${url.protocol}//${url.host}${port}${url.pathname}${url.search}"`;
}

/** Of a refusal: as much as its text may need. */
const maxRefusalBytes = 64 << 10;

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

function bodyOf({ status, headers, body, isCut }: Answer, maxBytes: number): Buffer {
  if (!isSuccess(status)) throw new CallError("status", statusProblem(status, body), { status });
  if (isCut) throw new CallError("answer", `the answer is longer than ${maxBytes} bytes`);
  if (body.length > 0) return body;
  const type = String(headers["content-type"] ?? "");
  throw new CallError("answer", `0-length response with status code: ${status} and content type: ${type}`);
}
