import { isStored, type Kind } from "@orch/api/catalog.js";
import { refuseAlternatives } from "@orch/api/selectors/selectors.js";
import type { Authorizer, Decision, ResourceAttributes } from "@orch/auth/authorizer.js";
import { forbiddenError } from "@orch/auth/forbidden.js";
import { objectOf } from "@orch/codec/json.js";
import { historyKey } from "@orch/naming/naming.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { resourceHistory } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { ApiError, badRequest, methodNotAllowed, unknownPath } from "@orch/status/api-error.js";
import type { Target } from "@orch/status/target.js";
import type { Negotiated, Wanted } from "../call.js";
import type { HttpRequest } from "../http/request.js";
import { warningHeaders } from "../http/warning-headers.js";
import { readForm } from "../reads.js";
import { documentOf, formOf, plainJson, type Representation } from "../representation.js";
import type { Responder } from "../respond.js";
import { timeLimitOf } from "../time-limit.js";
import { optionsOf } from "../writes.js";
import { historyTable } from "./history-table.js";

export interface HistoryDeps {
  /** Whether objects of a kind have a history anywhere. */
  readonly hasHistory: (kind: Kind) => boolean;
  readonly authorizer: Authorizer;
  /** The group of tables. */
  readonly metaGroup: string;
  readonly respond: Responder;
  readonly resources: (group: string) => Caller;
  readonly requestTimeoutMs: number;
  /** Fields may be chosen, and selectors have alternatives. */
  readonly listExtensions: boolean;
}

/** What of objects' past a request reads. */
export type HistoryRead =
  /** `…/name/history`, `…/name/history/12`: the right to get that subresource has been asked for. */
  | { readonly type: "history" }
  /** `…/name/deleted`, or `…/-/deleted` of all names. */
  | { readonly type: "deleted" }
  /** `?at=` of an object or a collection. */
  | { readonly type: "at" };

/** Undefined for a request about the present. */
export function historyRead({ verb, request }: Negotiated, { subresource }: Target): HistoryRead | undefined {
  if (subresource === "") {
    return request.query?.has("at") && pastVerbs.has(verb) ? { type: "at" } : undefined;
  }
  if (subresource === "deleted") return { type: "deleted" };
  if (subresource === "history" && verb === "patch") return undefined;
  return subresource === "history" || subresource.startsWith("history/") ? { type: "history" } : undefined;
}

/** What `at` may be asked with; a watch is refused, since nobody would want it to be passed over. */
const pastVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/**
 * Answers what is asked of objects' past. Whoever asks how objects were needs the right to their present and to the subresource
 * `history`: who may read secrets may not read all that they ever were. @throws ApiError
 */
export async function serveHistory(
  deps: HistoryDeps,
  call: Negotiated,
  { wanted, read }: { readonly wanted: Wanted; readonly read: HistoryRead },
): Promise<void> {
  const { request, response, user, verb } = call;
  const { kind, route } = wanted.subject;
  const { target } = route;
  if (!deps.hasHistory(kind) || !isPlaced(kind, target)) throw unknownPath();
  if (verb !== "get" && verb !== "list") throw refusedVerb(verb, read);
  if (read.type === "at")
    await checkAllowed(deps, call, { ...target, kind: "resource", user, verb, subresource: "history" });
  const representation =
    read.type === "at" || isState(target) ? wanted.representation : documentOf(wanted.representation);
  const asked =
    read.type === "at"
      ? asItWas(deps, { representation, request }, verb)
      : {
          options: optionsOf(request.query),
          form: representation === plainJson ? "" : formOf(representation, request, verb),
        };
  const { code, body, warnings } = await askPast(deps, call, { target, ...asked });
  const table = representation === plainJson ? tableOf(deps, wanted.representation, body) : undefined;
  await deps.respond.document(response, representation, {
    ...{ code, body: table ?? body },
    headers: warningHeaders(warnings),
  });
}

/** What is asked where the past is shown as the present is. @throws ApiError NotAcceptable, BadRequest */
function asItWas(
  deps: HistoryDeps,
  shown: { readonly representation: Representation; readonly request: HttpRequest },
  verb: string,
): Pick<PastQuestion, "options" | "form"> {
  const { query } = shown.request;
  if (!deps.listExtensions) {
    refuseAlternatives(query?.get("labelSelector") ?? "");
    return { options: optionsOf(query), form: formOf(shown.representation, shown.request, verb) };
  }
  const { fields: _form, sort, ...options } = optionsOf(query);
  if (sort !== undefined && sort !== "") throw badRequest("invalid sort: what was has the order of names alone");
  return { options, form: readForm(deps, shown, verb) };
}

interface PastQuestion {
  readonly target: Target;
  readonly options: Readonly<Record<string, string>>;
  readonly form: string;
}

function askPast(deps: HistoryDeps, call: Negotiated, { target, options, form }: PastQuestion): Promise<WriteReply> {
  const { request, user } = call;
  const asked = {
    ...target,
    ...{ verb: "update" as const, body: Buffer.alloc(0), contentType: "", ifMatch: "" },
    ...{ options, form, user, userAgent: request.header("user-agent") ?? "" },
  };
  const deadlineMs = timeLimitOf(request.query, deps.requestTimeoutMs);
  const span = call.trace?.handling("Get");
  return deps.resources(target.group).call(resourceHistory, asked, { deadlineMs, span });
}

/** The right to read is that of a get: another method that is allowed reads nothing. */
function refusedVerb(verb: string, { type }: HistoryRead): ApiError {
  return verb === "watch" && type === "at" ? badRequest("at: a watch shows what is yet to come") : methodNotAllowed();
}

/** Of what a namespace has in it, all namespaces together can be read, but no name in none. */
function isPlaced(kind: Kind, { namespace, name, subresource }: Target): boolean {
  if (!isStored(kind) || (namespace !== "" && !kind.namespaced)) return false;
  return !kind.namespaced || namespace !== "" || name === "" || (name === everything && subresource === "deleted");
}

/** The name that stands for all. */
export const everything = "-";

/** An object as it was, in the form that the client wants of objects; a difference of two is a document. */
const isState = ({ subresource }: Target): boolean => subresource.startsWith("history/");

/** What clients with columns of their own for nothing ask for: as `get --subresource=history` does. */
function tableOf({ metaGroup }: HistoryDeps, { transform }: Representation, body: Buffer): Buffer | undefined {
  if (transform?.as !== "Table") return undefined;
  return historyTable(body, { group: metaGroup, version: transform.version });
}

async function checkAllowed(deps: HistoryDeps, call: Negotiated, attributes: ResourceAttributes): Promise<void> {
  const { outcome, reason } = await decide(deps, call, attributes);
  if (outcome !== "allow") throw forbiddenError(attributes, reason);
}

/** The second decision about a request, of which its audit event tells beside the first. */
async function decide(
  { authorizer }: HistoryDeps,
  { audit }: Negotiated,
  attributes: ResourceAttributes,
): Promise<Decision> {
  const decision = await authorizer.authorize(attributes);
  audit?.annotate([
    [historyKey("decision"), decision.outcome === "allow" ? "allow" : "forbid"],
    [historyKey("reason"), decision.reason],
  ]);
  return decision;
}

/** The name that a path ends with which asks for the deletions of a collection: `…/configmaps/deleted`. */
const deletedName = "deleted";

/** Whether a get that finds no such object asks for the deletions of its collection. */
export function mayMeanDeleted(deps: HistoryDeps, kind: Kind, { name, subresource }: Target): boolean {
  return name === deletedName && subresource === "" && deps.hasHistory(kind);
}

/**
 * The deletions of a collection where there never was an object of that name; whoever may not read them, or waits for the end of
 * one that was named so, reads that it is not found. @throws ApiError
 */
export async function serveDeleted(
  deps: HistoryDeps,
  call: Negotiated,
  { wanted, error }: { readonly wanted: Wanted; readonly error: unknown },
): Promise<void> {
  const { subject } = wanted;
  const target = { ...subject.route.target, name: everything, subresource: "deleted" };
  if (!(error instanceof ApiError) || error.reason !== "NotFound") throw error;
  const { outcome } = await decide(deps, call, { ...target, kind: "resource", user: call.user, verb: "get" });
  if (outcome !== "allow") throw error;
  if (await hadItsName(deps, call, { ...target, name: deletedName })) throw error;
  const asking = { ...wanted, subject: { ...subject, route: { ...subject.route, target } } };
  await serveHistory(deps, call, { wanted: asking, read: { type: "deleted" } });
}

/** Whether an object is remembered that had the name by which deletions are asked for. */
async function hadItsName(deps: HistoryDeps, call: Negotiated, target: Target): Promise<boolean> {
  const { body } = await askPast(deps, call, { target, options: { limit: "1" }, form: "" });
  const { items } = objectOf(body);
  return Array.isArray(items) && items.length > 0;
}
