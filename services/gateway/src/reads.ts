import { isTrue, wholeNumber } from "@orch/api/query-values.js";
import type { Live } from "@orch/rpc/messages.js";
import { watchCacheGet, watchCacheList, watchCacheWatch } from "@orch/rpc/methods.js";
import type { NoteWork } from "@orch/rpc/note-work.js";
import type { Caller } from "@orch/rpc/rpc.js";
import type { Span } from "@orch/status/span.js";
import type { Collection, Target } from "@orch/status/target.js";
import type { Exchange } from "./http/exchange.js";
import { acceptsGzip, gzipFrom, gzipHeaders, gzipped, isGzip } from "./http/gzip.js";
import type { HttpRequest } from "./http/request.js";
import type { HeaderList } from "./http/response.js";
import { isLaidOut, type Layouts } from "./layout/layouts.js";
import { type OpenStream, relay } from "./relay.js";
import { formOf, type Representation } from "./representation.js";
import type { Responder } from "./respond.js";
import { timeLimitOf } from "./time-limit.js";

export interface ReadDeps {
  readonly respond: Responder;
  readonly layouts: Layouts;
  readonly caches: (group: string) => Caller;
  /** Large answers are compressed for clients that accept it (gate APIResponseCompression). */
  readonly gzip: boolean;
  readonly requestTimeoutMs: number;
  /** A watch without `timeoutSeconds` lasts a random time from here to twice as long. */
  readonly minRequestTimeoutMs: number;
  /** How to end each watch that is open. */
  readonly openWatches: Set<() => void>;
  /** Called with each watch's events after their bytes were given to the client's socket. */
  readonly delivered: (live: Live) => void;
  /** [0, 1) */
  readonly random: () => number;
  readonly noteWork?: NoteWork | undefined;
}

export interface Read extends Exchange {
  readonly target: Target;
  readonly representation: Representation;
  /** Further headers of the answer: warnings. */
  readonly headers: HeaderList;
  /** Of the handler, where the request is traced. */
  readonly span?: Span | undefined;
}

/** 24 days: node runs a timer of more than 31 bits at once. */
const longestTimerMs = 0x7fffffff;

/** One object (rules: Verbs to HTTP, get). */
export function serveGet(deps: ReadDeps, read: Read): Promise<void> {
  const { request, response, target, representation, headers, span } = read;
  const asked = {
    ...target,
    resourceVersion: request.query?.get("resourceVersion") ?? "",
    form: formOf(representation, request, "get"),
  };
  span?.event("About to Get from storage");
  return deps
    .caches(target.group)
    .call(watchCacheGet, asked, { deadlineMs: timeLimitOf(request.query, deps.requestTimeoutMs), span })
    .then(({ body }) => {
      deps.noteWork?.("get", target, body.length);
      if (body.length < gzipFrom || !takesGzip(deps, request, representation)) {
        return deps.respond.document(response, representation, { code: 200, body, headers });
      }
      return gzipped(body).then((small) =>
        response.send(200, ["Content-Type", representation.contentType, ...gzipHeaders, ...headers], small),
      );
    });
}

/** YAML and indented JSON are made here, for people. */
function takesGzip({ gzip }: ReadDeps, request: HttpRequest, representation: Representation): boolean {
  return gzip && !isLaidOut(representation) && acceptsGzip(request.header("accept-encoding"));
}

/** A collection or a page of it (rules: Paged lists). */
export async function serveList(deps: ReadDeps, read: Read): Promise<void> {
  const { request, response, target, representation, headers, span } = read;
  const { query } = request;
  numberOf(query, "timeoutSeconds");
  const asked = {
    ...collectionRequest(query, target),
    limit: numberOf(query, "limit"),
    continueToken: query?.get("continue") ?? "",
    form: formOf(representation, request, "list"),
    gzip: takesGzip(deps, request, representation),
  };
  const options = { deadlineMs: timeLimitOf(query, deps.requestTimeoutMs), span };
  const open: OpenStream = (receiver) => deps.caches(target.group).open(watchCacheList, asked, receiver, options);
  span?.event("About to List from storage");
  deps.noteWork?.("list", target, 0);
  const all = ["Content-Type", representation.contentType, ...headers];
  const headersOf = (first: Buffer): HeaderList => (isGzip(first) ? [...all, ...gzipHeaders] : all);
  const error = await relay(response, deps.layouts.stream(representation, open), { headersOf, cutOnFailure: true });
  if (error !== undefined) throw error;
}

/** A stream of changes (rules: Change tracking). */
export async function serveWatch(deps: ReadDeps, read: Read): Promise<void> {
  const { request, response, target, representation, headers, span } = read;
  deps.noteWork?.("watch", target, 0);
  const { query } = request;
  const seconds = numberOf(query, "timeoutSeconds");
  const asked = {
    ...collectionRequest(query, target),
    name: target.name,
    allowBookmarks: isTrue(query?.get("allowWatchBookmarks")),
    timeoutMs:
      seconds > 0
        ? Math.min(seconds * 1000, longestTimerMs)
        : Math.floor(deps.minRequestTimeoutMs * (1 + deps.random())),
    form: formOf(representation, request, "watch"),
  };
  const open: OpenStream = (receiver) => deps.caches(target.group).open(watchCacheWatch, asked, receiver, { span });
  const all = ["Content-Type", representation.contentType, ...headers];
  const error = await relay(response, open, {
    headersOf: () => all,
    cutOnFailure: false,
    enders: deps.openWatches,
    delivered: deps.delivered,
  });
  if (error !== undefined) throw error;
}

function collectionRequest(query: URLSearchParams | undefined, { group, version, resource, namespace }: Collection) {
  const initial = query?.get("sendInitialEvents") ?? undefined;
  return {
    group,
    version,
    resource,
    namespace,
    labelSelector: query?.get("labelSelector") ?? "",
    fieldSelector: query?.get("fieldSelector") ?? "",
    resourceVersion: query?.get("resourceVersion") ?? "",
    resourceVersionMatch: query?.get("resourceVersionMatch") ?? "",
    sendInitialEvents: initial === undefined ? undefined : isTrue(initial),
  };
}

/** 0 when absent or negative, which the reference takes for none. @throws ApiError BadRequest */
function numberOf(query: URLSearchParams | undefined, name: string): number {
  return Math.max(0, wholeNumber(query?.get(name)) ?? 0);
}
