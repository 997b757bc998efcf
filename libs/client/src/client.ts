import { createGatheredBytes } from "@orch/codec/gathered-bytes.js";
import { treeOf } from "@orch/codec/json.js";
import { ApiError } from "@orch/status/api-error.js";
import { jsonText } from "@orch/status/json-text.js";
import { answerError, connectionError } from "./http/failure.js";
import type { StreamBody, Transport, TransportRequest } from "./http/transport.js";
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

/** Told of requests, for metrics. */
export interface ClientObserver {
  /** A request goes out; called with what came: a status, or undefined where there was none, and bytes of the answer. */
  sent(
    request: Pick<RawRequest, "method"> & { readonly bytes: number },
  ): (code: number | undefined, bytes: number) => void;
}

export interface ClientOverOptions {
  readonly observer?: ClientObserver | undefined;
  readonly userAgent?: string;
}

/** A client of the server at the other end of a transport. */
export function createClientOver(transport: Transport, options: ClientOverOptions = {}): Client {
  const { observer } = options;
  const common = { accept: "application/json", "user-agent": options.userAgent ?? "orch-client" };
  const onTheWay = (r: RawRequest): TransportRequest => ({
    method: r.method,
    target: r.path + queryText(r.query),
    headers: { ...common, ...(r.body === undefined ? {} : { "content-type": "application/json" }), ...r.headers },
    ...(r.body === undefined ? {} : { body: r.body }),
    ...signalOf(r.signal),
  });
  const guarded = async <T>(r: RawRequest, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      if (r.signal?.aborted === true) throw r.signal.reason;
      throw connectionError(error, r.method === "GET");
    }
  };
  /** Tells the observer what comes of a request. */
  const told = async <T>(
    r: RawRequest,
    run: () => Promise<T>,
    came: (value: T) => readonly [code: number, bytes: number],
  ): Promise<T> => {
    const answered = observer?.sent({ method: r.method, bytes: r.body === undefined ? 0 : Buffer.byteLength(r.body) });
    try {
      const value = await run();
      answered?.(...came(value));
      return value;
    } catch (error) {
      // The connection's own errors are made into some with the codes of answers.
      answered?.(error instanceof ApiError && error.cause === undefined ? error.code : undefined, 0);
      throw error;
    }
  };
  const raw = (r: RawRequest): Promise<RawResponse> =>
    told(
      r,
      () => rawUntold(r),
      ({ status, body }) => [status, body.length],
    );
  const rawUntold = (r: RawRequest): Promise<RawResponse> =>
    guarded(r, async () => {
      const answer = await transport.send(onTheWay(r));
      if (answer.status < 400) return answer;
      throw answerError(answer.status, answer.body);
    });
  const stream = (r: RawRequest): Promise<StreamBody> =>
    guarded(r, async () => {
      const { status, body } = await transport.open(onTheWay(r));
      if (status < 400) return body;
      throw answerError(status, await bytesOf(body));
    });
  const json = async (r: RawRequest): Promise<unknown> => decoded((await raw(r)).body);
  const object = async (r: RawRequest): Promise<ApiObject> => {
    const value = await json(r);
    if (isApiObject(value)) return value;
    throw notUnderstood("no object");
  };

  return {
    raw,
    stream: (r) =>
      told(
        r,
        () => stream(r),
        () => [200, 0],
      ),
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
    close: () => transport.close(),
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

/** A whole body in memory of its own. */
export async function bytesOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const bytes = createGatheredBytes();
  for await (const part of body) bytes.add(Buffer.from(part));
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
