import type { X509Certificate } from "node:crypto";
import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { isIP } from "node:net";
import type { Duplex, Readable } from "node:stream";
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from "node:tls";
import { type ServiceReference, serverName } from "@orch/outbound/destination.js";
import type { Dial, HostPort } from "@orch/outbound/dial.js";
import { messageOf } from "@orch/status/message-of.js";
import type { ComingBody } from "../http/request.js";
import type { HeaderList } from "../http/response.js";

/** Whose answer is wanted. Connections are kept for as long as it is the same value. */
export interface Party {
  /** Certificates in PEM that its certificate is checked by; "" for those of the system. */
  readonly ca: string;
  /** Its certificate is not checked. */
  readonly insecure: boolean;
  /** Whose name its certificate must have; the host's that is asked where absent. */
  readonly service?: ServiceReference;
  /** Without TLS. */
  readonly plain?: boolean;
}

/** Where a server is reached. */
export interface Reached extends HostPort {
  /** The name that led to `host`, an address: the certificate must have it. Its connections serve no other name. */
  readonly name?: string | undefined;
}

/** What a gateway shows of itself to other servers. PEM. */
export interface ClientPair {
  readonly cert: string;
  readonly key: string;
}

export interface Outgoing {
  readonly method: string;
  /** With its query. */
  readonly target: string;
  /** What the `Host` header says; the address that is asked where absent. */
  readonly host?: string | undefined;
  readonly headers: HeaderList;
  readonly body?: ComingBody | undefined;
  /** Asks whoever answers, whatever its certificate says, on a connection of its own. */
  readonly anyone?: boolean;
  readonly signal: AbortSignal;
}

/** What came back: an answer whose body is still to be read, or a connection that goes on in another protocol. */
export type Incoming =
  | { readonly type: "answer"; readonly head: IncomingHead; readonly body: IncomingBody }
  | { readonly type: "upgrade"; readonly head: IncomingHead; readonly connection: Duplex; readonly first: Buffer };

/** `complete`: all of it came. */
export type IncomingBody = Readable & { readonly complete: boolean };

export interface IncomingHead {
  readonly code: number;
  readonly phrase: string;
  /** Name, value, name, value… as they came. */
  readonly raw: readonly string[];
}

/** Requests to servers of others: the one place that knows how they are sent. */
export interface Upstream {
  /** Settles when an answer has begun. @throws TrustError; the error of the connection; the reason of the signal */
  send(to: Party, at: Reached, outgoing: Outgoing): Promise<Incoming>;
  /** Keeps no connections to it any longer; what runs on them goes on. */
  forget(party: Party): void;
  close(): void;
}

/** The certificates of an APIService, or our own, cannot be read. */
export class TrustError extends Error {}

export interface UpstreamDeps {
  readonly dial: Dial;
  /** Undefined where there is none. */
  readonly pair: () => ClientPair | undefined;
  /** Told of the certificate that a server has shown. */
  readonly shown?: (certificate: X509Certificate) => void;
  /** In which a connection must be there, its handshake included; 30 s where absent. */
  readonly connectMs?: number;
}

const usualConnectMs = 30_000;
const maxIdle = 64;
/** After which a connection that nobody uses ends. */
const idleMs = 90_000;
const maxHeaderBytes = 64 * 1024;

interface Pool {
  readonly agent: Agent;
  readonly pair: ClientPair | undefined;
}

export function createUpstream({ dial, pair, shown = ignore, connectMs = usualConnectMs }: UpstreamDeps): Upstream {
  const pools = new Map<Party, Pool>();
  const connecting = { dial, shown, connectMs };

  const agentOf = (to: Party): Agent => {
    const known = pools.get(to);
    const now = pair();
    if (known !== undefined && known.pair === now) return known.agent;
    const agent = createAgent(secured(to, { ...connecting, pair: now }), true);
    known?.agent.destroy();
    pools.set(to, { agent, pair: now });
    return agent;
  };

  return {
    async send(to, at, outgoing) {
      const { body, signal, anyone = false } = outgoing;
      signal.throwIfAborted();
      const agent = anyone
        ? createAgent(secured({ ...to, insecure: true }, { ...connecting, pair: pair() }), false)
        : agentOf(to);
      const asked = ask(at, outgoing, agent);
      try {
        return await incomingOf(asked, signal);
      } catch (error) {
        // A connection that was idle may be closed just when it is used: nobody has heard the request then.
        if (!asked.reusedSocket || body !== undefined || signal.aborted) throw error;
        const fresh = createAgent(secured(to, { ...connecting, pair: pair() }), false);
        return await incomingOf(ask(at, outgoing, fresh), signal);
      }
    },
    forget(party) {
      pools.get(party)?.agent.destroy();
      pools.delete(party);
    },
    close() {
      for (const { agent } of pools.values()) agent.destroy();
      pools.clear();
    },
  };
}

type Connect = (at: Reached) => Promise<Duplex>;

function createAgent(connect: Connect, keepAlive: boolean): Agent {
  // Of https also where there is no TLS: what it would make of the socket is settled by then.
  const agent = new Agent({ keepAlive, maxFreeSockets: maxIdle, timeout: idleMs });
  agent.createConnection = (options, done) => {
    const { host, port, servername } = options;
    connect({ host: String(host), port: Number(port), name: servername || undefined }).then(
      (socket) => done?.(null, socket),
      // Node gives no socket to a callback that is told of an error.
      (error: Error) => Reflect.apply(done ?? ignore, undefined, [error]),
    );
    return undefined;
  };
  return agent;
}

const ignore = (): void => {};

interface Securing {
  readonly dial: Dial;
  readonly pair: ClientPair | undefined;
  readonly shown: (certificate: X509Certificate) => void;
  readonly connectMs: number;
}

/** Connections to a server whose certificate must name its Service, or its host. @throws TrustError */
function secured(to: Party, { dial, pair, shown, connectMs }: Securing): Connect {
  if (to.plain === true) return (at) => dial(at, AbortSignal.timeout(connectMs));
  const secureContext = contextOf(to, pair);
  return async (at) => {
    const signal = AbortSignal.timeout(connectMs);
    const raw = await dial(at, signal);
    const host = at.name ?? at.host;
    // No address is named in a handshake (RFC 6066, section 3).
    const servername = to.service === undefined ? (isIP(host) === 0 ? host : "") : serverName(to.service);
    const socket = connectTls({
      ...{ socket: raw, secureContext, servername, host, ALPNProtocols: ["http/1.1"] },
      rejectUnauthorized: !to.insecure,
    });
    await shaken(socket, signal);
    const certificate = socket.getPeerX509Certificate();
    if (certificate !== undefined) shown(certificate);
    return socket;
  };
}

function contextOf({ ca, insecure }: Party, pair: ClientPair | undefined): SecureContext {
  try {
    return createSecureContext({ ...pair, ...(ca === "" || insecure ? {} : { ca }) });
  } catch (error) {
    throw new TrustError(`certificates cannot be read: ${messageOf(error)}`);
  }
}

function shaken(socket: TLSSocket, signal: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const late = (): void => void socket.destroy(new Error("net/http: TLS handshake timeout"));
    const closed = (): void => failed(Object.assign(new Error("EOF"), { code: "ECONNRESET" }));
    const settled = (): void => {
      signal.removeEventListener("abort", late);
      socket.off("error", failed).off("close", closed);
    };
    const failed = (error: Error): void => {
      settled();
      socket.on("error", ignore).destroy();
      reject(error);
    };
    signal.addEventListener("abort", late, { once: true });
    socket.once("error", failed).once("close", closed);
    socket.once("secureConnect", () => {
      settled();
      resolve(socket);
    });
  });
}

function ask({ host, port, name = "" }: Reached, outgoing: Outgoing, agent: Agent): ClientRequest {
  const { method, target: path, headers, body, signal } = outgoing;
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const asked = request({
    ...{ agent, host, port, servername: name, method, path, signal, maxHeaderSize: maxHeaderBytes },
    headers: ["Host", outgoing.host ?? address, ...headers, ...framing(outgoing)],
  });
  if (body === undefined) asked.end();
  else body.stream.once("error", (error) => asked.destroy(error)).pipe(asked);
  return asked;
}

const withBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** How long the body is: node does not say so where headers are a list. */
function framing({ method, body }: Outgoing): HeaderList {
  if (body?.length !== undefined) return ["Content-Length", body.length];
  if (body !== undefined) return ["Transfer-Encoding", "chunked"];
  return withBody.has(method) ? ["Content-Length", "0"] : [];
}

function incomingOf(asked: ClientRequest, signal: AbortSignal): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    asked.once("response", (body) => {
      const head = headOf(body);
      if (head.code >= 200) return resolve({ type: "answer", head, body });
      // Of a 101 that changes to nothing, whoever is in front of us would make a tunnel.
      body.on("error", ignore).destroy();
      reject(new Error(`malformed HTTP response: status code ${head.code}`));
    });
    asked.once("upgrade", (answer, connection, first) => {
      resolve({ type: "upgrade", head: headOf(answer), connection, first });
    });
    // Stays: a server may answer and close before it has read the body.
    asked.on("error", (error) => reject(signal.aborted ? signal.reason : error));
  });
}

function headOf({ statusCode = 0, statusMessage = "", rawHeaders }: IncomingMessage): IncomingHead {
  return { code: statusCode, phrase: statusMessage, raw: rawHeaders };
}
