import { type Dispatcher, request } from "undici";
import { bytesOf } from "../client.js";
import { type ClientConfig, presented } from "../config.js";
import { type Credentials, fixedCredentials } from "../credentials/credentials.js";
import { type HeaderValues, impersonationHeaders } from "../credentials/impersonation.js";
import { createConnections } from "./connections.js";
import type { Transport, TransportAnswer, TransportRequest, TransportStream } from "./transport.js";

export interface HttpTransportOptions {
  /** Milliseconds without a byte of an answer; 60 s where absent. Watches have their own. */
  readonly timeout?: number;
  /** Milliseconds without a byte in a stream; 5 min where absent. */
  readonly streamTimeout?: number;
  /** Connections at most, besides those of streams; as many as are needed where absent. */
  readonly connections?: number;
  /** Streams share HTTP/2 connections instead of having one of HTTP/1.1 each: for clients of many watches. */
  readonly multiplexed?: boolean;
}

/** Over HTTPS, with the credentials of a configuration. Nothing is sent twice but what was answered with 401. */
export function createHttpTransport(config: ClientConfig, options: HttpTransportOptions = {}): Transport {
  const { timeout = 60_000, streamTimeout = 300_000 } = options;
  const source = config.credentials ?? fixedCredentials(presented(config));
  const connections = createConnections(config, {
    timeoutMs: timeout,
    limit: options.connections,
    multiplexed: options.multiplexed === true,
  });
  const impersonated = config.impersonate === undefined ? {} : impersonationHeaders(config.impersonate);

  const headersOf = ({ headers }: TransportRequest, { authorization }: Credentials): HeaderValues => ({
    ...impersonated,
    ...(authorization === undefined ? {} : { authorization }),
    ...headers,
  });
  const asked = async (r: TransportRequest, as: Credentials, bodyTimeout: number): Promise<Dispatcher.ResponseData> =>
    request(config.server + r.target, {
      dispatcher: connections.of(as).dispatcher,
      method: r.method,
      headers: headersOf(r, as),
      body: r.body ?? null,
      // undici would close the connection behind every DELETE that has a body.
      reset: false,
      bodyTimeout,
      ...(r.signal === undefined ? {} : { signal: r.signal }),
    });
  const send = async (r: TransportRequest, as: Credentials): Promise<TransportAnswer> => {
    const { statusCode, headers, body } = await asked(r, as, timeout);
    return { status: statusCode, headers, body: Buffer.from(await body.arrayBuffer()) };
  };
  const open = async (r: TransportRequest, as: Credentials): Promise<TransportStream> => {
    const { streams } = connections.of(as);
    if (streams === undefined) {
      const { statusCode, body } = await asked(r, as, streamTimeout);
      return { status: statusCode, body };
    }
    const { target, headers: _headers, ...rest } = r;
    return await streams.open({ ...rest, path: target, headers: headersOf(r, as), idleMs: streamTimeout });
  };
  /** A 401, before which nothing was executed, is tried once more where it brings other credentials. */
  const authenticated = async <T extends { readonly status: number }>(
    r: TransportRequest,
    run: (as: Credentials) => Promise<T>,
    drop: (answer: T) => Promise<unknown>,
  ): Promise<T> => {
    const used = await settledOr(source.current(), r.signal);
    const answer = await run(used);
    if (answer.status !== 401) return answer;
    source.refused(used);
    // Why there are no others is told to the next request; this one has been answered.
    const others = await settledOr(source.current(), r.signal).catch(() => used);
    if (others === used) return answer;
    await drop(answer);
    return await run(others);
  };

  return {
    send: (r) =>
      authenticated(
        r,
        (as) => send(r, as),
        () => Promise.resolve(),
      ),
    open: (r) =>
      authenticated(
        r,
        (as) => open(r, as),
        ({ body }) => bytesOf(body),
      ),
    close: () => connections.close(),
  };
}

/** What comes of a promise, or the signal's reason where that aborts first. */
async function settledOr<T>(value: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!(value instanceof Promise) || signal === undefined) return await value;
  signal.throwIfAborted();
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  return await Promise.race([value, aborted]).finally(() => signal.removeEventListener("abort", abort));
}
