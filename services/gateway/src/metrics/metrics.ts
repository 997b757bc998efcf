import { type Reached, type Subject, subjectOf } from "../call.js";
import { isConnection } from "../long-running.js";
import type { ResourceRoute } from "../path.js";

/** Where requests are counted; the process binds it to its metrics registry. */
export interface RequestMetrics {
  /** `id` tells label sets apart; the labels are asked for when it is new. */
  observe(id: string, labels: () => RequestLabels, told: Told): void;
  /** A request to a deprecated version (rules: Signals on deprecated endpoints). */
  deprecated(labels: DeprecatedLabels): void;
  /** A stream that lasts has begun; how to say that it is over. */
  lasting(labels: SharedLabels): () => void;
  /** A resource that is no more has no series of its own. */
  forget(resource: Pick<RequestLabels, "group" | "resource">): void;
}

/** What became of a request. */
export interface Told {
  readonly milliseconds: number;
  /** Of these, for others than this server: in a queue, and for webhooks. */
  readonly waitedMs: number;
  /** Bytes of the answer's body. */
  readonly sent: number;
  /** Bytes of the request's body, as far as its headers say. */
  readonly received: number;
}

export interface SharedLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: "cluster" | "namespace" | "resource" | "";
}

export interface RequestLabels extends SharedLabels {
  readonly code: string;
  readonly dryRun: string;
  /** What the request says of unknown fields; "" where that is not asked of such requests. */
  readonly fieldValidation: string;
}

export interface DeprecatedLabels {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly removed_release: string;
}

const unnamed = { group: "", version: "", resource: "", subresource: "", scope: "", dryRun: "" } as const;

/** The methods of RFC 9110 and RFC 5789; HTTP/2 lets a client invent others. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);

const shownMethod = (method: string): string => (methods.has(method) ? method : "OTHER");

/** As the reference counts requests about resources: by method, but for what a method alone does not tell. */
const shownVerbs: Readonly<Record<string, string>> = {
  get: "GET",
  list: "LIST",
  watch: "WATCH",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETECOLLECTION",
};

const applyType = "application/apply-patch+";

export function shownVerb({ verb, request, route }: Pick<Reached, "verb" | "request" | "route">): string {
  if (route.type === "resource" && isConnection(route.target.subresource)) return "CONNECT";
  if (verb === "patch" && request.header("content-type")?.startsWith(applyType) === true) return "APPLY";
  return (Object.hasOwn(shownVerbs, verb) ? shownVerbs[verb] : undefined) ?? shownMethod(request.method);
}

/** Labels hold only words of the catalog. Requests with other words in their path or method are counted without them. */
export function recordRequest(metrics: RequestMetrics, call: Reached, milliseconds: number): void {
  const { request, response } = call;
  const code = String(response.code);
  const told = { milliseconds, waitedMs: response.waitedMs, sent: response.sent, received: receivedBytes(request) };
  const subject = subjectOf(call);
  if (subject === undefined) {
    const verb = shownMethod(request.method);
    metrics.observe(`${verb} ${code}`, () => ({ ...unnamed, verb, code, fieldValidation: "" }), told);
    return;
  }
  const { kind, deprecation } = subject;
  const verb = shownVerb(call);
  const dryRun = request.query?.get("dryRun") === "All" ? "All" : "";
  const fieldValidation = fieldValidationOf(verb, request.query);
  const { group, version, plural: resource } = kind;
  const { target } = subject.route;
  const subresource = target.subresource === "" ? "" : knownSubresource(subject);
  const scope = scopeOf(target, call.verb);
  if (deprecation !== undefined) {
    metrics.deprecated({ group, version, resource, subresource, removed_release: deprecation.removedRelease });
  }
  metrics.observe(
    `${verb} ${code} ${kind.apiVersion}/${resource}/${subresource} ${scope} ${dryRun} ${fieldValidation}`,
    () => ({ verb, code, group, version, resource, subresource, scope, dryRun, fieldValidation }),
    told,
  );
}

/** What asks for nothing but an answer has no body. */
function receivedBytes(request: Reached["request"]): number {
  if (request.method === "GET") return 0;
  return Number(request.header("content-length") ?? 0) || 0;
}

/** Of a request about a resource. */
export function sharedLabels(call: Reached): SharedLabels | undefined {
  const subject = subjectOf(call);
  if (subject === undefined) return undefined;
  const { group, version, plural: resource } = subject.kind;
  const subresource = knownSubresource(subject);
  return {
    verb: shownVerb(call),
    group,
    version,
    resource,
    subresource,
    scope: scopeOf(subject.route.target, call.verb),
  };
}

function knownSubresource({ kind, route }: Subject): string {
  const { subresource: path } = route.target;
  const subresource = isConnection(path) ? (path.split("/", 1)[0] ?? "") : path;
  return kind.subresources.some(({ name }) => name === subresource) ? subresource : "";
}

/** A creation is of one object, though its path names none yet. */
function scopeOf({ name, namespace }: ResourceRoute["target"], verb: string): SharedLabels["scope"] {
  if (name !== "" || verb === "create") return "resource";
  return namespace === "" ? "cluster" : "namespace";
}

const validating: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "APPLY"]);
const levels: ReadonlySet<string> = new Set(["Ignore", "Warn", "Strict"]);

function fieldValidationOf(verb: string, query: URLSearchParams | undefined): string {
  if (!validating.has(verb)) return "";
  const level = query?.get("fieldValidation") ?? "Warn";
  return levels.has(level) ? level : "";
}
