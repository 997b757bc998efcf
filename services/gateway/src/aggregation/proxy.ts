import { connectionProblem } from "@orch/outbound/failure.js";
import type { ResolveService } from "@orch/outbound/service-addresses.js";
import type { Log } from "@orch/runtime/log.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Negotiated, RemoteSubject } from "../call.js";
import type { HeaderList } from "../http/response.js";
import { isLongRunning } from "../long-running.js";
import { isAvailable, type Remote } from "./api-service.js";
import { passedRequest, type SecretHeaders, type UserHeaders } from "./passed-headers.js";
import { relayAnswer, relayUpgrade } from "./relay-answer.js";
import { type Incoming, type Outgoing, TrustError, type Upstream } from "./upstream.js";

export interface ProxyDeps {
  readonly upstream: Upstream;
  readonly resolve: ResolveService;
  readonly userHeaders: UserHeaders;
  readonly secret: SecretHeaders;
  /** Of the WebSocket protocol that is a bearer token: what stands before it. */
  readonly tokenProtocol: string;
  readonly requestTimeoutMs: number;
  /** How to end each answer that is open for as long as its client wants. */
  readonly openWatches: Set<() => void>;
  /** A redirect keeps its code and loses where it leads to. */
  readonly hideRedirects: boolean;
  readonly log: Pick<Log, "debug">;
}

/** Passes requests on to the servers of APIServices, and their answers back. */
export type PassOn = (call: Negotiated, subject: RemoteSubject) => Promise<void>;

/** Discovery is cheap: who does not answer it soon does not answer it. */
const discoveryMs = 5_000;

export function createProxy(deps: ProxyDeps): PassOn {
  return async (call, { api }) => {
    const { remote } = api;
    if (remote === undefined || !isAvailable(api)) return refuse(call, 503, "service unavailable");
    if (isLoop(call)) return refuse(call, 508, "the request has passed too many servers");
    const lasts = isLong(call);
    // Whoever is asked has bounds of its own for what lasts.
    if (lasts) call.seats.release();
    const limit = timeLimit(call, lasts ? undefined : deps.requestTimeoutMs);
    const end = (): void => limit.abort(new ApiError("ServiceUnavailable", "the server is shutting down"));
    if (lasts) deps.openWatches.add(end);
    call.response.onClose(() => limit.abort(gone));
    try {
      const incoming = await sent(deps, call, { remote, signal: limit.signal });
      if (incoming === undefined) return;
      if (incoming.type === "upgrade") await relayUpgrade(call.response, incoming, limit.signal);
      else await relayAnswer(call.response, incoming, { signal: limit.signal, hideRedirects: deps.hideRedirects });
    } finally {
      limit.done();
      deps.openWatches.delete(end);
    }
  };
}

/** More servers than any request should pass: an APIService that leads back to a gateway would never end. */
const mostHops = 16;

function isLoop({ request }: Pick<Negotiated, "request">): boolean {
  const { "x-forwarded-for": passed } = request.headers;
  return passed !== undefined && [passed].flat().join().split(",").length > mostHops;
}

/** The reason of a signal when nobody waits for the answer. */
const gone = new Error("the client went away");

interface On {
  readonly remote: Remote;
  readonly signal: AbortSignal;
}

/** Undefined where the client has its answer already. */
async function sent(deps: ProxyDeps, call: Negotiated, { remote, signal }: On): Promise<Incoming | undefined> {
  const at = await deps.resolve(remote.service).catch((error: unknown) => {
    deps.log.debug({ err: error, apiService: remote.name }, "a server of others has no address");
  });
  if (at === undefined) {
    refuse(call, 503, "service unavailable");
    return undefined;
  }
  try {
    return await deps.upstream.send(remote, at, outgoingOf(deps, call, signal));
  } catch (error) {
    if (error === gone) return undefined;
    if (error instanceof ApiError) throw error;
    if (error instanceof TrustError) refuse(call, 500, error.message);
    else refuse(call, 503, `error trying to reach service: ${connectionProblem(error)}`);
    return undefined;
  }
}

function outgoingOf(
  { userHeaders, secret, tokenProtocol }: ProxyDeps,
  call: Negotiated,
  signal: AbortSignal,
): Outgoing {
  const { request, user } = call;
  const headers = passedRequest(
    {
      headers: request.distinctHeaders(),
      ...{ onBehalf: { user, userHeaders }, secret, id: request.id, path: request.path },
      address: plainAddress(request.peer.address),
      host: request.header("host") ?? "",
      upgrade: upgradeOf(call),
      span: call.trace?.span,
    },
    tokenProtocol,
  );
  return {
    method: request.method,
    target: request.query === undefined ? request.path : `${request.path}?${request.query}`,
    ...{ headers, signal, body: request.bodyStream() },
  };
}

/** An address of IPv4 as such, also where the socket is one of IPv6. */
export function plainAddress(address: string): string {
  return address.startsWith(mapped) ? address.slice(mapped.length) : address;
}

const mapped = "::ffff:";

/** HTTP/2 knows no upgrades: a header of that name means nothing there. */
export function upgradeOf({ request }: Pick<Negotiated, "request">): string | undefined {
  const asks = request
    .header("connection")
    ?.toLowerCase()
    .split(",")
    .some((token) => token.trim() === "upgrade");
  return asks === true ? request.header("upgrade") : undefined;
}

/** Lasts for as long as both sides want: no time limit, and no seat of flow control. */
function isLong(call: Negotiated): boolean {
  return isLongRunning(call) || upgradeOf(call) !== undefined;
}

/** A text, as the reference's proxy answers. */
function refuse({ response }: Pick<Negotiated, "response">, code: number, text: string): void {
  response.send(code, textHeaders, `${text}\n`);
}

const textHeaders: HeaderList = ["Content-Type", "text/plain; charset=utf-8", "X-Content-Type-Options", "nosniff"];

/** Aborts when the time of the request is over, or when it is told to. */
function timeLimit({ route }: Negotiated, ms: number | undefined) {
  const controller = new AbortController();
  const isDiscovery = route.type === "discovery";
  const late = (): void =>
    controller.abort(
      isDiscovery
        ? new Error("context deadline exceeded")
        : new ApiError("Timeout", "request did not complete within the allotted timeout"),
    );
  const timer = ms === undefined ? undefined : setTimeout(late, isDiscovery ? Math.min(ms, discoveryMs) : ms);
  return {
    signal: controller.signal,
    abort: (reason: Error): void => controller.abort(reason),
    done: (): void => clearTimeout(timer),
  };
}
