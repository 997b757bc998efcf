import { isIP, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { LRUCache } from "lru-cache";
import { Agent, type buildConnector } from "undici";
import { type Destination, type Endpoint, serverName, urlOf } from "./destination.js";
import type { Dial, HostPort } from "./dial.js";
import type { ResolveService } from "./service-addresses.js";

/** What a caller shows of itself. */
export interface Credentials {
  /** The header. */
  readonly authorization?: string | undefined;
  /** PEM. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

export interface ConnectionDeps {
  /** Ways to what is outside of the cluster, and to Services. */
  readonly dial: Readonly<Record<Endpoint["type"], Dial>>;
  readonly resolve: ResolveService;
}

/** The connections to one destination. */
export interface Pool {
  readonly agent: Agent;
  /** Whether an answer has come over one of them: it may then break for no other reason than that it was idle. */
  used: boolean;
}

export interface Connections {
  of(to: Destination, credentials: Credentials): Pool;
  close(): Promise<void>;
}

/** Destinations whose connections are kept; users make more of them as they like. */
const mostPools = 512;
const connectionsEach = 64;
const keepAliveMs = 30_000;
const connectMs = 30_000;

/** Connections, of TLS unless an address says http, that are used again for as long as the other side keeps them. */
export function createConnections(deps: ConnectionDeps): Connections {
  const pools = new LRUCache<string, Pool>({
    max: mostPools,
    dispose: ({ agent }) => void agent.close().catch(() => {}),
  });
  return {
    of(to, credentials) {
      const { origin } = urlOf(to);
      const { certificate = "", key = "" } = credentials;
      // No part has a zero in it. A digest would be shorter, and costs each question more than the comparison.
      const id = `${to.endpoint.type} ${origin}\0${to.ca}\0${certificate}\0${key}`;
      const known = pools.get(id);
      if (known !== undefined) return known;
      const connect = connector(to, credentials, deps);
      const agent = new Agent({
        connect,
        connections: connectionsEach,
        pipelining: 1,
        keepAliveTimeout: keepAliveMs,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const pool = { agent, used: false };
      pools.set(id, pool);
      return pool;
    },
    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map(({ agent }) => agent.destroy()));
    },
  };
}

/** Opens connections as undici asks for them. A Service is looked up each time: its address may be another by now. */
function connector(to: Destination, credentials: Credentials, deps: ConnectionDeps): buildConnector.connector {
  const { endpoint, ca } = to;
  const addressOf = async ({ hostname, port, protocol }: buildConnector.Options): Promise<HostPort> => {
    if (endpoint.type === "service") return deps.resolve(endpoint.service);
    return { host: withoutBrackets(hostname), port: port === "" ? usualPort(protocol) : Number(port) };
  };
  const open = async (options: buildConnector.Options): Promise<Socket> => {
    const signal = AbortSignal.timeout(connectMs);
    const address = await addressOf(options);
    const name = endpoint.type === "service" ? serverName(endpoint.service) : address.host;
    const socket = await deps.dial[endpoint.type](address, signal);
    if (options.protocol === "http:") return plain(socket);
    const { certificate, key } = credentials;
    return secured(
      connectTls({
        socket,
        host: name,
        ALPNProtocols: ["http/1.1"],
        ...(isIP(name) === 0 ? { servername: name } : {}),
        ...(ca === "" ? {} : { ca }),
        ...(certificate === undefined ? {} : { cert: certificate, key }),
      }),
      signal,
    );
  };
  return (options, done) => {
    open(options).then(
      (socket) => done(null, socket),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

const usualPort = (protocol: string): number => (protocol === "http:" ? 80 : 443);

/** A client configuration may name a server without TLS: one on this machine. Ways out that are no sockets lead to none. */
function plain(connection: Duplex): Socket {
  if (connection instanceof Socket) return connection;
  connection.destroy();
  throw new TypeError("a connection without TLS cannot leave by a proxy");
}

/** An IPv6 address of an URL as the system takes it. */
function withoutBrackets(host: string): string {
  return host.startsWith("[") ? host.slice(1, -1) : host;
}

function secured(socket: TLSSocket, signal: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const late = (): void => void socket.destroy(new Error("net/http: TLS handshake timeout"));
    const settled = (): void => signal.removeEventListener("abort", late);
    signal.addEventListener("abort", late, { once: true });
    const failed = (error: Error): void => {
      settled();
      reject(error);
    };
    socket.once("error", failed);
    // One that ends the handshake without a word.
    socket.once("close", () => failed(Object.assign(new Error("EOF"), { code: "ECONNRESET" })));
    socket.once("secureConnect", () => {
      settled();
      socket.removeAllListeners("error");
      socket.removeAllListeners("close");
      resolve(socket);
    });
  });
}
