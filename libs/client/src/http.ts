import { createGatheredBytes } from "@orch/codec/gathered-bytes.js";
import { treeOf } from "@orch/codec/json.js";
import { ApiError } from "@orch/status/api-error.js";
import { jsonText } from "@orch/status/json-text.js";
import { type Dispatcher, request } from "undici";
import { type ClientConfig, presented } from "./config.js";
import { createConnections } from "./connections.js";
import { type Credentials, fixedCredentials } from "./credentials.js";
import { answerError, connectionError } from "./failure.js";
import type { StreamBody } from "./http2-streams.js";
import { type HeaderValues, impersonationHeaders } from "./impersonation.js";
import { type ApiObject, type Collection, isApiObject, listOf, type ObjectList, pathOf } from "./objects.js";

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RawRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its leading slash, without the query. */
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends Selectors {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  readonly limit?: number;
  readonly continue?: string;
  /** Media type of the answer: `application/json` where absent. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

export interface GetOptions {
  readonly resourceVersion?: string;
  /** Media type of the answer: `application/json` where absent. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  readonly subresource?: string;
  readonly signal?: AbortSignal;
}

export interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Every method throws ApiError; an aborted one throws its signal's reason. Nothing is tried twice but what was answered
 * with 401, when there are other credentials.
 */
export interface Client {
  /** Any answer below 400, its body read to the end. */
  raw(request: RawRequest): Promise<RawResponse>;
  /** An answer below 400 whose body is read as it comes: watches. */
  stream(request: RawRequest): Promise<StreamBody>;
  get(collection: Collection, name: string, options?: GetOptions): Promise<ApiObject>;
  list(collection: Collection, options?: ListOptions): Promise<ObjectList>;
  create(collection: Collection, object: ApiObject, options?: WriteOptions): Promise<ApiObject>;
  /** Replaces the object named in its metadata; with a resourceVersion in it only that version. */
  update(collection: Collection, object: ApiObject, options?: WriteOptions): Promise<ApiObject>;
  patch(
    collection: Collection,
    name: string,
    /** `accept` is the media type of the answer: `application/json` where absent. */
    patch: { readonly type: string; readonly body: unknown; readonly accept?: string } & WriteOptions,
  ): Promise<ApiObject>;
  /** The body is the object on its way out, or a Status. */
  delete(collection: Collection, name: string, options?: DeleteOptions): Promise<unknown>;
  deleteCollection(collection: Collection, options?: DeleteOptions & Selectors): Promise<unknown>;
  close(): Promise<void>;
}

export interface ClientOptions {
  readonly userAgent?: string;
  /** Milliseconds without a byte of an answer; 60 s where absent. Watches have their own. */
  readonly timeout?: number;
  /** Milliseconds without a byte in a stream; 5 min where absent. */
  readonly streamTimeout?: number;
  /** Connections at most, besides those of streams; as many as are needed where absent. */
  readonly connections?: number;
  /** Streams share HTTP/2 connections instead of having one of HTTP/1.1 each: for clients of many watches. */
  readonly multiplexed?: boolean;
}

export function createClient(config: ClientConfig, options: ClientOptions = {}): Client {
  const { timeout = 60_000, streamTimeout = 300_000 } = options;
  const source = config.credentials ?? fixedCredentials(presented(config));
  const connections = createConnections(config, {
    timeoutMs: timeout,
    limit: options.connections,
    multiplexed: options.multiplexed === true,
  });
  const common = {
    accept: "application/json",
    "user-agent": options.userAgent ?? "orch-client",
    ...(config.impersonate === undefined ? {} : impersonationHeaders(config.impersonate)),
  };

  const headersOf = (r: RawRequest, { authorization }: Credentials): HeaderValues => ({
    ...common,
    ...(authorization === undefined ? {} : { authorization }),
    ...(r.body === undefined ? {} : { "content-type": "application/json" }),
    ...r.headers,
  });
  const send = async (r: RawRequest, as: Credentials, bodyTimeout: number): Promise<Dispatcher.ResponseData> => {
    const url = `${config.server}${r.path}${queryText(r.query)}`;
    const response = await request(url, {
      dispatcher: connections.of(as).dispatcher,
      method: r.method,
      headers: headersOf(r, as),
      body: r.body ?? null,
      // undici would close the connection behind every DELETE that has a body.
      reset: false,
      bodyTimeout,
      ...signalOf(r.signal),
    });
    if (response.statusCode < 400) return response;
    throw answerError(response.statusCode, Buffer.from(await response.body.arrayBuffer()));
  };
  const stream = async (r: RawRequest, as: Credentials): Promise<StreamBody> => {
    const { streams } = connections.of(as);
    if (streams === undefined) return (await send(r, as, streamTimeout)).body;
    const { status, body } = await streams.open({
      method: r.method,
      path: r.path + queryText(r.query),
      headers: headersOf(r, as),
      ...(r.body === undefined ? {} : { body: r.body }),
      ...signalOf(r.signal),
      idleMs: streamTimeout,
    });
    if (status < 400) return body;
    throw answerError(status, await bytesOf(body));
  };
  /** A 401, before which nothing was executed, is tried once more where it brings other credentials. */
  const authenticated = async <T>(r: RawRequest, run: (as: Credentials) => Promise<T>): Promise<T> => {
    const used = await settledOr(source.current(), r.signal);
    try {
      return await run(used);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 401) throw error;
      source.refused(used);
      // Why there are no others is told to the next request; this one has been answered.
      const others = await settledOr(source.current(), r.signal).catch(() => used);
      if (others === used) throw error;
      return await run(others);
    }
  };
  const guarded = async <T>(r: RawRequest, run: (as: Credentials) => Promise<T>): Promise<T> => {
    try {
      return await authenticated(r, run);
    } catch (error) {
      if (r.signal?.aborted === true) throw r.signal.reason;
      throw connectionError(error, r.method === "GET");
    }
  };
  const raw = (r: RawRequest): Promise<RawResponse> =>
    guarded(r, async (as) => {
      const { statusCode, headers, body } = await send(r, as, timeout);
      return { status: statusCode, headers, body: Buffer.from(await body.arrayBuffer()) };
    });
  const json = async (r: RawRequest): Promise<unknown> => decoded((await raw(r)).body);
  const object = async (r: RawRequest): Promise<ApiObject> => {
    const value = await json(r);
    if (isApiObject(value)) return value;
    throw notUnderstood("no object");
  };

  return {
    raw,
    stream: (r) => guarded(r, (as) => stream(r, as)),
    get: (collection, name, { resourceVersion, ...how } = {}) =>
      object({ method: "GET", path: pathOf(collection, name), query: { resourceVersion }, ...readParts(how) }),
    async list(collection, { signal, accept, ...query } = {}) {
      const how = readParts({ signal, accept });
      const list = listOf(await json({ method: "GET", path: pathOf(collection), query, ...how }));
      if (list === undefined) throw notUnderstood("no list");
      return list;
    },
    create: (collection, value, how = {}) =>
      object({ method: "POST", path: pathOf(collection), body: jsonText(value), ...writeParts(how) }),
    update: (collection, value, how = {}) =>
      object({
        method: "PUT",
        path: pathOf(collection, value.metadata.name ?? "", how.subresource),
        body: jsonText(value),
        ...writeParts(how),
      }),
    patch: (collection, name, { type, body, accept, ...how }) =>
      object({
        method: "PATCH",
        path: pathOf(collection, name, how.subresource),
        headers: { "content-type": type, ...(accept === undefined ? {} : { accept }) },
        body: jsonText(body),
        ...writeParts(how),
      }),
    delete: (collection, name, how = {}) =>
      json({ method: "DELETE", path: pathOf(collection, name), ...deleteParts(how) }),
    deleteCollection: (collection, { labelSelector, fieldSelector, ...how } = {}) =>
      json({
        method: "DELETE",
        path: pathOf(collection),
        query: { labelSelector, fieldSelector },
        ...deleteParts(how),
      }),
    close: () => connections.close(),
  };
}

function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.set(name, String(value));
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
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

const signalOf = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal });

/** The part of a request that its reader chooses. */
export function readParts({
  accept,
  signal,
}: {
  readonly accept?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}) {
  return { ...(accept === undefined ? {} : { headers: { accept } }), ...signalOf(signal) };
}

async function bytesOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const bytes = createGatheredBytes();
  for await (const part of body) bytes.add(part);
  return bytes.bytes();
}

function writeParts({ dryRun, fieldManager, fieldValidation, signal }: WriteOptions) {
  return { query: { dryRun: dryRun === true ? "All" : undefined, fieldManager, fieldValidation }, ...signalOf(signal) };
}

function deleteParts({ signal, dryRun, ...options }: DeleteOptions) {
  const body = { kind: "DeleteOptions", apiVersion: "v1", ...options, ...(dryRun === true ? { dryRun: ["All"] } : {}) };
  return { body: jsonText(body), ...signalOf(signal) };
}

function decoded(body: Buffer): unknown {
  try {
    return treeOf(body);
  } catch (error) {
    throw notUnderstood("no JSON", error);
  }
}

function notUnderstood(what: string, cause?: unknown): ApiError {
  return new ApiError("InternalError", `the server's answer is ${what}`, { cause });
}
