import { ApiError } from "@orch/status/api-error.js";
import { Agent, type Dispatcher, request } from "undici";
import type { ClientConfig } from "./config.js";
import { answerError, connectionError } from "./failure.js";
import { createHttp2Streams, type StreamBody } from "./http2-streams.js";
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

/** Every method throws ApiError; an aborted one throws its signal's reason. Nothing is tried twice. */
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
  const agent = new Agent({
    connect: tlsOf(config),
    ...(options.connections === undefined ? {} : { connections: options.connections }),
    keepAliveTimeout: 30_000,
    headersTimeout: timeout,
    bodyTimeout: timeout,
  });
  const streams = options.multiplexed === true ? createHttp2Streams(config.server, tlsOf(config)) : undefined;
  const common = {
    accept: "application/json",
    "user-agent": options.userAgent ?? "orch-client",
    ...(config.token === undefined ? {} : { authorization: `Bearer ${config.token}` }),
  };

  const headersOf = (r: RawRequest): Readonly<Record<string, string>> => ({
    ...common,
    ...(r.body === undefined ? {} : { "content-type": "application/json" }),
    ...r.headers,
  });
  const send = async (r: RawRequest, bodyTimeout: number): Promise<Dispatcher.ResponseData> => {
    const url = `${config.server}${r.path}${queryText(r.query)}`;
    const response = await request(url, {
      dispatcher: agent,
      method: r.method,
      headers: headersOf(r),
      body: r.body ?? null,
      // undici would close the connection behind every DELETE that has a body.
      reset: false,
      bodyTimeout,
      ...(r.signal === undefined ? {} : { signal: r.signal }),
    });
    if (response.statusCode < 400) return response;
    throw answerError(response.statusCode, Buffer.from(await response.body.arrayBuffer()));
  };
  const stream = async (r: RawRequest): Promise<StreamBody> => {
    if (streams === undefined) return (await send(r, streamTimeout)).body;
    const { status, body } = await streams.open({
      method: r.method,
      path: r.path + queryText(r.query),
      headers: headersOf(r),
      ...(r.body === undefined ? {} : { body: r.body }),
      ...signalOf(r.signal),
      idleMs: streamTimeout,
    });
    if (status < 400) return body;
    throw answerError(status, await bytesOf(body));
  };
  const guarded = async <T>(r: RawRequest, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      if (r.signal?.aborted === true) throw r.signal.reason;
      throw connectionError(error, r.method === "GET");
    }
  };
  const raw = (r: RawRequest): Promise<RawResponse> =>
    guarded(r, async () => {
      const { statusCode, headers, body } = await send(r, timeout);
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
    stream: (r) => guarded(r, () => stream(r)),
    get: (collection, name, { resourceVersion, ...how } = {}) =>
      object({ method: "GET", path: pathOf(collection, name), query: { resourceVersion }, ...readParts(how) }),
    async list(collection, { signal, accept, ...query } = {}) {
      const how = readParts({ signal, accept });
      const list = listOf(await json({ method: "GET", path: pathOf(collection), query, ...how }));
      if (list === undefined) throw notUnderstood("no list");
      return list;
    },
    create: (collection, value, how = {}) =>
      object({ method: "POST", path: pathOf(collection), body: JSON.stringify(value), ...writeParts(how) }),
    update: (collection, value, how = {}) =>
      object({
        method: "PUT",
        path: pathOf(collection, value.metadata.name ?? "", how.subresource),
        body: JSON.stringify(value),
        ...writeParts(how),
      }),
    patch: (collection, name, { type, body, accept, ...how }) =>
      object({
        method: "PATCH",
        path: pathOf(collection, name, how.subresource),
        headers: { "content-type": type, ...(accept === undefined ? {} : { accept }) },
        body: JSON.stringify(body),
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
    async close() {
      streams?.close();
      await agent.destroy();
    },
  };
}

/** What undici and node:tls want to know of a configuration. */
export function tlsOf(config: ClientConfig) {
  return {
    rejectUnauthorized: !config.insecureSkipTlsVerify,
    ...(config.ca === undefined ? {} : { ca: config.ca }),
    ...(config.certificate === undefined ? {} : { cert: config.certificate }),
    ...(config.key === undefined ? {} : { key: config.key }),
    ...(config.tlsServerName === undefined ? {} : { servername: config.tlsServerName }),
  };
}

function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.set(name, String(value));
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
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
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

function writeParts({ dryRun, fieldManager, fieldValidation, signal }: WriteOptions) {
  return { query: { dryRun: dryRun === true ? "All" : undefined, fieldManager, fieldValidation }, ...signalOf(signal) };
}

function deleteParts({ signal, dryRun, ...options }: DeleteOptions) {
  const body = { kind: "DeleteOptions", apiVersion: "v1", ...options, ...(dryRun === true ? { dryRun: ["All"] } : {}) };
  return { body: JSON.stringify(body), ...signalOf(signal) };
}

function decoded(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw notUnderstood("no JSON", error);
  }
}

function notUnderstood(what: string, cause?: unknown): ApiError {
  return new ApiError("InternalError", `the server's answer is ${what}`, { cause });
}
