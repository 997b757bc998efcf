import { isTrue } from "@orch/api/query-values.js";
import { connectionProblem } from "@orch/outbound/failure.js";
import { ApiError, badRequest, unavailable, unknownPath } from "@orch/status/api-error.js";
import { passedRequest, type SecretHeaders } from "../aggregation/passed-headers.js";
import { plainAddress, upgradeOf } from "../aggregation/proxy.js";
import { relayAnswer, relayUpgrade } from "../aggregation/relay-answer.js";
import type { Incoming, Outgoing } from "../aggregation/upstream.js";
import type { Negotiated, Subject } from "../call.js";
import type { HeaderList } from "../http/response.js";
import { warningHeaders } from "../http/warning-headers.js";
import type { AdmitConnection } from "./admit-connection.js";
import { inTime, refusalOf } from "./answer-errors.js";
import { containerOf } from "./container.js";
import { isDistrust, type Listeners } from "./listeners.js";
import {
  type Location,
  type LocationDeps,
  locateAgent,
  locateNode,
  locatePod,
  locateService,
  unexplained,
} from "./locations.js";
import type { NodeMetrics } from "./metrics.js";
import { textAt } from "./objects.js";
import type { OpenConnections } from "./open-connections.js";
import { type ConnectionPart, connectionOptions, connectionParams, logOptions, textIn } from "./options.js";
import { redirectThrough } from "./redirect.js";

export interface NodeWayDeps extends LocationDeps {
  readonly admit: AdmitConnection;
  readonly listeners: Listeners;
  readonly openConnections: OpenConnections;
  readonly metrics: NodeMetrics;
  readonly secret: SecretHeaders;
  /** Of the WebSocket protocol that is a bearer token: what stands before it. */
  readonly tokenProtocol: string;
  /** What agents read of who asks for a log. */
  readonly userAgent: string;
  /** How to end each answer that is open for as long as its client wants. */
  readonly openWatches: Set<() => void>;
  /** Gate PodLogsQuerySplitStreams. */
  readonly choosesLogStream: boolean;
  /** The console is served here, too. */
  readonly besideConsole: boolean;
}

/** Answers what only a node, or a program that runs in the cluster, knows (rules: What nodes answer). */
export type NodeWay = (call: Negotiated, subject: Subject) => Promise<void>;

export function createNodeWay(deps: NodeWayDeps): NodeWay {
  return async (call, { route }) => {
    const { request, response } = call;
    const [part = ""] = route.target.subresource.split("/", 1);
    if (part !== "log" && isTrue(request.query?.get("dryRun"))) throw badRequest("dryRun is not supported");
    const closed = deps.openConnections.open(call.user.name);
    const controller = new AbortController();
    const end = (): void => controller.abort(new ApiError("ServiceUnavailable", "the server is shutting down"));
    deps.openWatches.add(end);
    response.onClose(() => controller.abort(gone));
    const abort = (reason: Error): void => controller.abort(reason);
    const asked: Asked = { call, target: route.target, signal: controller.signal, abort };
    try {
      if (part === "log") await log(deps, asked);
      else if (part === "proxy") await proxy(deps, asked);
      else if (part === "exec" || part === "attach" || part === "portforward") await stream(deps, asked, part);
      else throw unknownPath();
    } catch (error) {
      if (error !== gone) throw error;
    } finally {
      deps.openWatches.delete(end);
      closed();
    }
  };
}

/** The reason of a signal when nobody waits for the answer. */
const gone = new Error("the client went away");

interface Asked {
  readonly call: Negotiated;
  readonly target: Subject["route"]["target"];
  readonly signal: AbortSignal;
  abort(this: void, reason: Error): void;
}

const plainText: HeaderList = ["Content-Type", "text/plain"];

/** A log is the answer's body alone: nothing else of what the agent says reaches the client, nor the other way round. */
async function log(deps: NodeWayDeps, { call, target, signal }: Asked): Promise<void> {
  const { response, request } = call;
  const { name, namespace } = target;
  const options = logOptions(request.query, { name, choosesStream: deps.choosesLogStream });
  deps.metrics.logAsked(options.insecure);
  const pod = await deps.objects.get({ resource: "pods", namespace, name });
  const container = containerOf(pod, options.container);
  const node = textAt(pod, "spec.nodeName");
  // Nothing has run yet.
  if (node === "") return response.stream(204, []).end();
  const to = await locateAgent(deps, node);
  const path = `/containerLogs/${namespace}/${name}/${encodeURIComponent(container)}`;
  const url = withQuery(path, options.params);
  const outgoing = { method: "GET", target: url, headers: ["User-Agent", deps.userAgent], signal };
  const incoming = await deps.listeners.send(to, outgoing, options.insecure).catch((error: unknown) => {
    const problem = problemOf(error);
    if (isDistrust(error, problem)) deps.metrics.distrusted();
    throw unexplained(`Get "https://${authorityOf(to)}${url}": ${problem}`, error);
  });
  if (incoming.type === "upgrade") {
    incoming.connection.destroy();
    throw unexplained("the node's agent changed the protocol unasked");
  }
  const { code } = incoming.head;
  if (code < 200 || code > 206) throw await refusalOf(incoming, name);
  const head = { code: 200, phrase: "OK", raw: plainText };
  await relayAnswer(response, { ...incoming, head }, { signal, hideRedirects: false });
}

/** A connection to a container that both sides write to, in a protocol that the node's agent and the client agree on. */
async function stream(deps: NodeWayDeps, asked: Asked, part: ConnectionPart): Promise<void> {
  const { call, target, signal } = asked;
  const { namespace, name } = target;
  const { options } = await deps.admit(call, target, connectionOptions(call.request.query, part));
  const pod = await deps.objects.get({ resource: "pods", namespace, name });
  const container = part === "portforward" ? undefined : containerOf(pod, textIn(options, "container"));
  const node = textAt(pod, "spec.nodeName");
  if (node === "") throw badRequest(`pod ${name} does not have a host assigned`);
  const to = await locateAgent(deps, node);
  const path =
    container === undefined
      ? `/portForward/${namespace}/${name}`
      : `/${part}/${namespace}/${name}/${encodeURIComponent(container)}`;
  const upgrade = upgradeOf(call);
  if (upgrade === undefined) throw badRequest("Upgrade request required");
  const url = withQuery(path, connectionParams(options, part));
  const outgoing = outgoingOf(deps, call, { url, upgrade, signal, told: [] });
  await relayedUpgrade(asked, await dialed(deps, asked, { to, outgoing }));
}

/**
 * In which a change of the protocol must be answered. Nothing else has such a bound: the answer to who follows a log begins
 * with its next line, and what runs in the cluster may take as long as its client waits.
 */
const upgradeMs = 60_000;

interface Dialed {
  readonly to: Location;
  readonly outgoing: Outgoing;
}

/** @throws ApiError for a backend that is not there, as the reference tells it, and for one that does not answer */
async function dialed({ listeners }: NodeWayDeps, { abort }: Asked, { to, outgoing }: Dialed): Promise<Incoming> {
  const late = (): void => abort(new ApiError("Timeout", "error dialing backend: no answer in time"));
  const patience = setTimeout(late, upgradeMs);
  try {
    return await listeners.send(to, outgoing);
  } catch (error) {
    throw unexplained(`error dialing backend: ${problemOf(error)}`, error);
  } finally {
    clearTimeout(patience);
  }
}

/** A backend that does not go on in the other protocol says why, or has not understood. */
async function relayedUpgrade({ call: { response }, signal }: Asked, incoming: Incoming): Promise<void> {
  if (incoming.type === "upgrade") return relayUpgrade(response, incoming, signal);
  const { code } = incoming.head;
  if (code >= 400) {
    return relayAnswer(response, { ...incoming, body: inTime(incoming.body) }, { signal, hideRedirects: false });
  }
  incoming.body.on("error", () => {}).destroy();
  throw unexplained(`invalid upgrade response: status code ${code}`);
}

/** A request goes on to a port of a node, a pod or an endpoint of a Service, and its answer comes back. */
async function proxy(deps: NodeWayDeps, asked: Asked): Promise<void> {
  const { call, target, signal } = asked;
  const { request, response } = call;
  const { prefix, path: asking } = parted(request.path, target.namespace !== "");
  const given = { kind: proxyKinds[target.resource], apiVersion: "v1", ...(asking === "" ? {} : { path: asking }) };
  const { options, warnings } = await deps.admit(call, target, given);
  const path = textIn(options, "path");
  const to = await located(deps, target);
  const query = rawQuery(request.target);
  const upgrade = upgradeOf(call);
  const outgoing = (more: Pick<Passing, "upgrade" | "told">): Outgoing =>
    outgoingOf(deps, call, { url: `${path === "" ? "/" : path}${query}`, signal, ...more });
  if (upgrade !== undefined) {
    return relayedUpgrade(asked, await dialed(deps, asked, { to, outgoing: outgoing({ upgrade, told: [] }) }));
  }
  // Relative links of a page lead beside it unless its path ends with a slash.
  if (path === "" && (request.method === "GET" || request.method === "HEAD")) {
    return response.send(301, ["Location", `${request.path}/${query}`], "");
  }
  const told = ["X-Forwarded-Uri", request.path];
  const incoming = await deps.listeners.send(to, outgoing({ upgrade: undefined, told })).catch((error: unknown) => {
    throw unavailable(`error trying to reach service: ${problemOf(error)}`, error);
  });
  if (incoming.type === "upgrade") return relayUpgrade(response, incoming, signal);
  const through = { asked: authorityOf(to), host: request.header("host") ?? "", prefix };
  const { head } = incoming;
  const led = head.raw.map((value, i) =>
    i % 2 === 1 && head.raw[i - 1]?.toLowerCase() === "location" ? redirectThrough(value, through) : value,
  );
  const raw = [...warningHeaders(warnings), ...led, ...(deps.besideConsole ? sandboxed : [])];
  await relayAnswer(response, { ...incoming, head: { ...head, raw } }, { signal, hideRedirects: false });
}

/**
 * A page of somebody's program is none of this server's, though it has its address: with its origin it could read what the console
 * keeps, and act by what the browser is known by.
 */
const sandboxed: HeaderList = [
  "Content-Security-Policy",
  "sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts",
];

/** What the options of `…/proxy` are, by resource. */
const proxyKinds: Readonly<Record<string, string>> = {
  pods: "PodProxyOptions",
  services: "ServiceProxyOptions",
  nodes: "NodeProxyOptions",
};

function located(deps: NodeWayDeps, target: Asked["target"]): Promise<Location> {
  switch (target.resource) {
    case "pods":
      return locatePod(deps, target);
    case "services":
      return locateService(deps, target);
    default:
      return locateNode(deps, target.name);
  }
}

interface Passing {
  readonly url: string;
  readonly upgrade: string | undefined;
  readonly signal: AbortSignal;
  /** Headers of the way that it came. */
  readonly told: HeaderList;
}

/** The request as it goes on: with the client's headers, `Host` among them, and without its credentials. */
function outgoingOf(
  { secret, tokenProtocol }: NodeWayDeps,
  { request, trace }: Negotiated,
  { url, upgrade, signal, told }: Passing,
): Outgoing {
  const host = request.header("host") ?? request.header(":authority") ?? "";
  const address = plainAddress(request.peer.address);
  const { id, path } = request;
  const headers = passedRequest(
    { headers: request.distinctHeaders(), secret, id, path, address, host, upgrade, told, span: trace?.span },
    tokenProtocol,
  );
  return {
    ...{ method: request.method, target: url, headers, signal },
    host: host === "" ? undefined : host,
    body: upgrade === undefined ? request.bodyStream() : undefined,
  };
}

/** Whoever was aborted is not told of as a failure of the other side. */
function problemOf(error: unknown): string {
  if (error === gone || error instanceof ApiError) throw error;
  return connectionProblem(error);
}

/** The part of a proxy's path that is ours, and what is behind it, `""` or from its slash on; empty segments are none. */
export function parted(path: string, namespaced: boolean): { readonly prefix: string; readonly path: string } {
  // /api/v1/nodes/a/proxy, /api/v1/namespaces/n/pods/a/proxy
  let slashes = namespaced ? 8 : 6;
  for (let at = 0; at < path.length; at++) {
    if (path[at] !== "/" || --slashes > 0) continue;
    return { prefix: path.slice(0, at), path: path.slice(at).replace(/\/{2,}/g, "/") };
  }
  return { prefix: path, path: "" };
}

const rawQuery = (target: string): string => {
  const mark = target.indexOf("?");
  return mark < 0 ? "" : target.slice(mark);
};

const withQuery = (path: string, params: string): string => (params === "" ? path : `${path}?${params}`);

function authorityOf({ at: { name, host, port } }: Location): string {
  return `${name ?? (host.includes(":") ? `[${host}]` : host)}:${port}`;
}
