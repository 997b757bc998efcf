import { parseResourceVersion } from "@orch/api/list-options.js";
import { isTrue, wholeNumber } from "@orch/api/query-values.js";
import { refuseAlternatives } from "@orch/api/selectors/selectors.js";
import type { Encoding } from "@orch/render/form.js";
import { formText, projectedForm } from "@orch/render/form.js";
import type { ListRequest, Live, WatchRequest } from "@orch/rpc/messages.js";
import { watchCacheGet, watchCacheWatch } from "@orch/rpc/methods.js";
import type { NoteWork } from "@orch/rpc/note-work.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { type ApiError, badRequest, expired } from "@orch/status/api-error.js";
import type { Span } from "@orch/status/span.js";
import type { Target } from "@orch/status/target.js";
import type { PermittedRead } from "./call.js";
import type { Exchange } from "./http/exchange.js";
import { acceptsGzip, gzipFrom, gzipHeaders, gzipped, isGzip } from "./http/gzip.js";
import type { HttpRequest } from "./http/request.js";
import type { HeaderList } from "./http/response.js";
import type { OpenList } from "./kept-lists.js";
import { isLaidOut, type Layouts } from "./layout/layouts.js";
import { followingRights, type GoingOn } from "./permitted/follow-rights.js";
import { withNewRights } from "./permitted/new-rights.js";
import type { PermittedNamespaces } from "./permitted/permitted-namespaces.js";
import { checkScope, scopeParameter } from "./permitted/scope.js";
import { type OpenStream, relay } from "./relay.js";
import { formOf, type Representation, wantedForm } from "./representation.js";
import type { Responder } from "./respond.js";
import { timeLimitOf } from "./time-limit.js";

export interface ReadDeps {
  readonly respond: Responder;
  readonly layouts: Layouts;
  readonly caches: (group: string) => Caller;
  readonly openList: OpenList;
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
  /** Lists may be sorted, restricted to fields and to what one may see, and selectors have alternatives. */
  readonly listExtensions: boolean;
  /** Where watches of what one may see hear of changes; needed where there are such reads. */
  readonly permitted?: PermittedNamespaces | undefined;
  /** An ERROR event of a watch. */
  readonly errorEvent: (encoding: Encoding, error: ApiError) => Buffer;
}

export interface Read extends Exchange {
  readonly target: Target;
  readonly representation: Representation;
  /** Further headers of the answer: warnings. */
  readonly headers: HeaderList;
  /** Of the handler, where the request is traced. */
  readonly span?: Span | undefined;
  /** Set where it shows what is in some namespaces alone. */
  readonly permitted?: PermittedRead | undefined;
}

/** 24 days: node runs a timer of more than 31 bits at once. */
const longestTimerMs = 0x7fffffff;

/** One object (rules: Verbs to HTTP, get). */
export function serveGet(deps: ReadDeps, read: Read): Promise<void> {
  const { request, response, target, representation, headers, span } = read;
  if (isTrue(request.query?.get("export"))) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  const asked = {
    ...target,
    resourceVersion: request.query?.get("resourceVersion") ?? "",
    form: readForm(deps, read, "get"),
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
  const asked: ListRequest = {
    ...collectionRequest(deps, query, read),
    sort: deps.listExtensions ? sortOf(query) : undefined,
    limit: numberOf(query, "limit"),
    continueToken: query?.get("continue") ?? "",
    form: readForm(deps, read, "list"),
    gzip: takesGzip(deps, request, representation),
  };
  const options = { deadlineMs: timeLimitOf(query, deps.requestTimeoutMs), span };
  const openAs =
    (request: ListRequest): OpenStream =>
    (receiver) =>
      deps.openList(request, receiver, options);
  const open = read.permitted === undefined ? openAs(asked) : upToDate(deps, read.permitted, { asked, openAs });
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
  if (deps.listExtensions && sortOf(query) !== undefined) throw badRequest("invalid sort: a watch has no order");
  const asked: WatchRequest = {
    ...collectionRequest(deps, query, read),
    name: target.name,
    allowBookmarks: isTrue(query?.get("allowWatchBookmarks")),
    timeoutMs:
      seconds > 0
        ? Math.min(seconds * 1000, longestTimerMs)
        : Math.floor(deps.minRequestTimeoutMs * (1 + deps.random())),
    form: readForm(deps, read, "watch"),
  };
  const openAs =
    (request: WatchRequest): OpenStream =>
    (receiver) =>
      deps.caches(target.group).open(watchCacheWatch, request, receiver, { span });
  const open = read.permitted === undefined ? openAs(asked) : withRights(deps, read.permitted, { read, asked, openAs });
  const all = ["Content-Type", representation.contentType, ...headers];
  const error = await relay(response, open, {
    headersOf: () => all,
    cutOnFailure: false,
    enders: deps.openWatches,
    delivered: deps.delivered,
  });
  if (error !== undefined) throw error;
}

/** A list of what its user may see, by rights as new as what it shows. */
function upToDate(
  { permitted: namespaces }: ReadDeps,
  first: PermittedRead,
  { asked, openAs }: { readonly asked: ListRequest; readonly openAs: (request: ListRequest) => OpenStream },
): OpenStream {
  if (namespaces === undefined) throw new TypeError("a list of some namespaces where nobody tells which");
  return withNewRights({ first, namespaces, open: (permitted) => openAs({ ...asked, permitted }) });
}

interface Opening {
  readonly read: Read;
  readonly asked: WatchRequest;
  readonly openAs: (request: WatchRequest) => OpenStream;
}

/**
 * A watch that keeps to its user's rights. @throws ApiError Expired where it would go on from before a change of them: it would lack
 * what they gave, and leave with the client what they took
 */
function withRights(
  { permitted: namespaces, errorEvent }: ReadDeps,
  first: PermittedRead,
  { read, asked, openAs }: Opening,
): OpenStream {
  if (namespaces === undefined) throw new TypeError("a watch of some namespaces where nobody tells which");
  const { encoding } = wantedForm(read.representation, read.request, "watch");
  const after = asked.sendInitialEvents === true ? 0 : parseResourceVersion(asked.resourceVersion);
  if (after > 0 && namespaces.rights.changedSince(first.attributes.user, after)) {
    throw expired(`too old resource version: ${after} (what may be seen has changed since)`);
  }
  return followingRights({
    ...{ first, namespaces },
    errorFrame: (error) => errorEvent(encoding, error),
    open: (permitted, goingOn) =>
      openAs({ ...asked, permitted, ...(goingOn === undefined ? {} : goesOn(asked.timeoutMs, goingOn)) }),
  });
}

function goesOn(timeoutMs: number, { after, passedMs }: GoingOn): Partial<WatchRequest> {
  return {
    resourceVersion: String(after),
    resourceVersionMatch: "",
    sendInitialEvents: undefined,
    timeoutMs: Math.max(1, Math.floor(timeoutMs - passedMs)),
  };
}

function sortOf(query: URLSearchParams | undefined): string | undefined {
  const sort = query?.get("sort") ?? "";
  return sort === "" ? undefined : sort;
}

/** {@link formOf}, with the fields alone that are asked for. @throws ApiError NotAcceptable, BadRequest */
export function readForm(
  { listExtensions }: Pick<ReadDeps, "listExtensions">,
  { representation, request }: Pick<Read, "representation" | "request">,
  verb: string,
): string {
  const fields = listExtensions ? (request.query?.get("fields") ?? "") : "";
  if (fields === "") return formOf(representation, request, verb);
  return formText(projectedForm(wantedForm(representation, request, verb), fields));
}

/** @throws ApiError BadRequest for a scope that there is none of, and for alternatives where there are none */
function collectionRequest(
  { listExtensions }: ReadDeps,
  query: URLSearchParams | undefined,
  { target: { group, version, resource, namespace }, permitted }: Read,
) {
  const initial = query?.get("sendInitialEvents") ?? undefined;
  if (query !== undefined) {
    if (listExtensions) checkScope(query.get(scopeParameter) ?? "");
    else refuseAlternatives(query.get("labelSelector") ?? "");
  }
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
    permitted: permitted && { namespaces: permitted.namespaces, rights: permitted.rights },
  };
}

/** 0 when absent or negative, which the reference takes for none. @throws ApiError BadRequest */
function numberOf(query: URLSearchParams | undefined, name: string): number {
  return Math.max(0, wholeNumber(query?.get(name)) ?? 0);
}
