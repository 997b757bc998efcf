import type { Attributes, Span } from "@orch/status/span.js";
import type { Tracing } from "@orch/tracing/tracing.js";
import type { HttpRequest } from "../http/request.js";
import { type BodyStream, byteLength, type HeaderList, type HttpResponse } from "../http/response.js";
import type { ResourceRoute, Route } from "../path.js";

/** What answers requests about resources, as its spans are named. */
export type Handler = "Create" | "Get" | "List" | "Patch" | "Update" | "Delete";

/** The spans of a request, as the reference has them: its own, within it that of who sends it, within that its handler's. */
export interface RequestTrace {
  /** What further work is part of. */
  readonly span: Span;
  /** The sender is known. */
  authenticated(): void;
  /** The handler's span, which the answer ends. */
  handling(handler: Handler): Span;
  /** The same response, whose answer is told. */
  watched(response: HttpResponse): HttpResponse;
  /** The request is over. */
  end(response: HttpResponse): void;
}

/** What is known when it has come. */
interface Arrived {
  readonly request: HttpRequest;
  readonly route: Route;
  readonly verb: string;
}

/** Undefined for a request that is not traced and has nothing to pass on. */
export function beginTrace(tracing: Tracing, arrived: Arrived): RequestTrace | undefined {
  const { request } = arrived;
  const incoming = {
    traceparent: request.header("traceparent"),
    tracestate: request.header("tracestate"),
    auditId: request.id.slice(0, mostOfId),
  };
  const root = tracing.request(spanName(arrived), incoming, () => requestAttributes(request));
  if (root === undefined) return undefined;
  const authentication = root.child("authentication");
  let handler: Span | undefined;
  const handlerSpan = (): Span | undefined => handler;
  return {
    get span() {
      return handler ?? authentication;
    },
    authenticated: () => authentication.end(),
    handling(name) {
      handler = authentication.child(name, handlerAttributes(arrived, root.auditId));
      return handler;
    },
    watched: (response) => watchedResponse(response, { request, verb: arrived.verb, handler: handlerSpan }),
    end({ code, sent }) {
      handler?.end();
      // Of a request whose sender stayed unknown.
      authentication.end();
      const received = Number(request.header("content-length") ?? 0);
      root.set({
        "http.status_code": code,
        ...(sent > 0 ? { "http.response_content_length": sent } : {}),
        ...(received > 0 ? { "http.request_content_length": received } : {}),
      });
      root.end(code >= 500 ? `HTTP ${code}` : undefined);
    },
  };
}

/** As audit identifiers are cut in spans. */
const mostOfId = 64;
const mostOfName = 256;

/** `POST /apis/apps/v1/namespaces/{:namespace}/deployments`; the method alone where the path is about no resource. */
export function spanName({ request: { method }, route }: Arrived): string {
  if (route.type !== "resource") return method;
  const { group, version, resource, namespace, name, subresource } = route.target;
  const path = [
    group === "" ? "/api" : `/apis/${group}`,
    version,
    ...(namespace === "" ? [] : ["namespaces/{:namespace}"]),
    resource,
    ...(name === "" ? [] : ["{:name}"]),
    ...(subresource === "" ? [] : [subresource]),
  ].join("/");
  return `${method} ${path}`.slice(0, mostOfName);
}

function requestAttributes(request: HttpRequest): Attributes {
  const { method, version, path, query, peer } = request;
  return {
    "http.method": method,
    "http.scheme": "https",
    "http.target": query === undefined ? path : `${path}?${query}`,
    "net.host.name": hostOf(request.header("host") ?? ""),
    "net.protocol.version": version,
    "net.sock.peer.addr": peer.address,
    "user_agent.original": request.header("user-agent") ?? "",
  };
}

/** Without its port. */
function hostOf(host: string): string {
  const colon = host.lastIndexOf(":");
  return colon > host.lastIndexOf("]") ? host.slice(0, colon) : host;
}

function handlerAttributes({ request, route, verb }: Arrived, auditId: string): Attributes {
  const shared = {
    accept: request.header("accept") ?? "",
    "audit-id": auditId,
    client: request.peer.address,
    protocol: `HTTP/${request.version}`,
    url: request.path,
    "user-agent": request.header("user-agent") ?? "",
    verb: shownVerb(request.method, verb),
  };
  if (route.type !== "resource") return shared;
  const { group, version, resource, namespace, name, subresource } = route.target;
  const scope = scopeOf(route, verb);
  return { ...shared, "api-group": group, "api-version": version, name, namespace, resource, scope, subresource };
}

/** A list and a watch are told from a get; other verbs are methods. */
function shownVerb(method: string, verb: string): string {
  return verb === "list" || verb === "watch" ? verb.toUpperCase() : method;
}

function scopeOf({ target }: ResourceRoute, verb: string): string {
  if (target.name !== "" || verb === "create") return "resource";
  return target.namespace === "" ? "cluster" : "namespace";
}

/** An answer to a request about a resource has a span; of a watch there is none, which is answered for long. */
function watchedResponse(response: HttpResponse, told: Told): HttpResponse {
  return {
    addHeaders: (headers) => response.addHeaders(headers),
    send(code, headers, body) {
      const within = told.handler();
      if (within === undefined || response.code !== 0) return response.send(code, headers, body);
      const tells = code < 400 && told.verb !== "list";
      if (tells) within.event("About to write a response");
      const size = byteLength(body);
      const span = within.child("SerializeObject", answerAttributes(told.request, headers, within.auditId));
      span.event("About to start writing response", { size });
      response.send(code, headers, body);
      span.event("Write call succeeded", { size, firstWrite: true, writer: `HTTP/${told.request.version}` });
      span.end();
      if (tells) within.event("Writing http response done");
    },
    stream(code, headers) {
      const stream = response.stream(code, headers);
      const within = told.handler();
      if (within === undefined || told.verb === "watch") return stream;
      const span = within.child("SerializeObject", answerAttributes(told.request, headers, within.auditId));
      const over = (): void => {
        span.event("Write call succeeded", { size: response.sent, writer: `HTTP/${told.request.version}` });
        span.end();
      };
      return endingStream(stream, over);
    },
    takeOver: () => response.takeOver(),
    onClose: (run) => response.onClose(run),
    get closed() {
      return response.closed;
    },
    get code() {
      return response.code;
    },
    get sent() {
      return response.sent;
    },
    get waitedMs() {
      return response.waitedMs;
    },
    set waitedMs(ms) {
      response.waitedMs = ms;
    },
  };
}

function endingStream(stream: BodyStream, over: () => void): BodyStream {
  return {
    write: (part, written) => stream.write(part, written),
    end() {
      stream.end();
      over();
    },
    cut() {
      stream.cut();
      over();
    },
    onDrain: (run) => stream.onDrain(run),
  };
}

interface Told {
  readonly request: HttpRequest;
  readonly verb: string;
  readonly handler: () => Span | undefined;
}

function answerAttributes(request: HttpRequest, headers: HeaderList, auditId: string): Attributes {
  const mediaType = (headers[headers.indexOf("Content-Type") + 1] ?? "").split(";")[0] ?? "";
  return {
    "audit-id": auditId,
    encoder: JSON.stringify({ name: mediaType.slice(mediaType.lastIndexOf("/") + 1) }),
    mediaType,
    method: request.method,
    protocol: `HTTP/${request.version}`,
    url: request.path,
  };
}
