import { isIP } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { checkServerIdentity } from "node:tls";
import {
  Client,
  type ClientDuplexStream,
  connectivityState,
  credentials,
  Metadata,
  type VerifyOptions,
} from "@grpc/grpc-js";
import { unavailable } from "@orch/status/api-error.js";
import type { Relay } from "@orch/status/relay.js";
import { wallClock } from "../clock.js";
import { StoreUnreachable } from "../unreachable.js";
import type { Method } from "./methods.js";
import { type Tls, type TlsSource, tlsNow } from "./tls.js";
import { type CallOptions, createUnarySession, type UnarySession } from "./unary-session.js";

/** A connection for streams, to one member. */
export interface StreamConnection {
  readonly endpoint: string;
  /** Whether the connection comes up within so long. */
  isUp(timeoutMs: number): Promise<boolean>;
  call<Request, Response>(method: Method<Request, Response>, request: Request, options: CallOptions): Promise<Response>;
  stream<Request, Response>(
    method: Method<Request, Response>,
    token: string | undefined,
  ): ClientDuplexStream<Request, Response>;
  close(): void;
}

/** The cluster's endpoints: one connection in use, another as soon as it fails. */
export interface Connections {
  /** A connection that is up; fails with ServiceUnavailable when none comes up in time. */
  ready(timeoutMs: number): Promise<UnarySession>;
  /** Says that a connection failed a call: go on with the next endpoint. */
  failed(connection: UnarySession): void;
  /** A connection of its own for a stream, to the endpoints in turn. */
  dial(): StreamConnection;
  close(): Promise<void>;
}

const channelOptions = {
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
  // With http2's own 64 KiB a large range or backlog waits for a window update every few values.
  "grpc-node.flow_control_window": 4 << 20,
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 5_000,
  // etcd hangs up on pings of idle connections.
  "grpc.keepalive_permit_without_calls": 0,
  "grpc.enable_retries": 0,
  "grpc.service_config_disable_resolution": 1,
  "grpc.use_local_subchannel_pool": 1,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.min_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 1_000,
} as const;

const connectAttemptMs = 1_500;
const firstPauseMs = 20;
const longestPauseMs = 250;

export interface ConnectionOptions {
  readonly tls?: TlsSource | undefined;
  /** By which every connection goes, where there is one; it has the socket of each address. */
  readonly relay?: Relay | undefined;
}

/** `host:port` of each endpoint. */
export function addressesOf(endpoints: readonly string[]): readonly string[] {
  return [...new Set(endpoints.map((endpoint) => parse(endpoint, false).address))];
}

export function createConnections(endpoints: readonly string[], options: ConnectionOptions): Connections {
  const { tls, relay } = options;
  const connections = endpoints.map((endpoint) => {
    const { address, secure } = parse(endpoint, tls !== undefined);
    return createUnarySession(`${secure ? "https" : "http"}://${address}`, tls, relay?.pathOf(address));
  });
  let index = 0;
  /** Members in turn that could not be reached, and how long nobody tries again once all were tried. */
  let refusals = 0;
  let pauseMs = firstPauseMs;
  let pause: Promise<void> | undefined;
  let dialed = -1;
  let closed = false;
  const current = (): UnarySession => {
    const connection = connections[index % connections.length];
    if (connection === undefined) throw new RangeError("no endpoints of etcd given");
    return connection;
  };
  current();

  /** A member that refuses does so at once: without a pause everybody who waits would try as fast as he can. */
  const refused = (connection: UnarySession): void => {
    if (current() !== connection) return;
    index++;
    if (++refusals % connections.length !== 0 || pause !== undefined) return;
    pause = delay(pauseMs).finally(() => {
      pause = undefined;
    });
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  };
  const reached = (): void => {
    refusals = 0;
    pauseMs = firstPauseMs;
  };

  return {
    async ready(timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        if (closed) throw unavailable("the store is closed");
        if (pause !== undefined) await pause;
        const connection = current();
        const left = deadline - performance.now();
        if (await connection.isUp(Math.min(left, connectAttemptMs))) {
          reached();
          return connection;
        }
        refused(connection);
        if (deadline - performance.now() < 10) throw new StoreUnreachable("no member of the store can be reached");
      }
    },
    failed(connection) {
      if (current() === connection) index++;
    },
    dial() {
      // The first stream goes where the calls go, the next tries elsewhere.
      dialed = dialed === -1 ? index : dialed + 1;
      const endpoint = endpoints[dialed % endpoints.length];
      if (endpoint === undefined) throw new RangeError("no endpoints of etcd given");
      return connectStreams(endpoint, options);
    },
    async close() {
      closed = true;
      for (const connection of connections) connection.close();
      await relay?.close();
    },
  };
}

function connectStreams(endpoint: string, { tls, relay }: ConnectionOptions): StreamConnection {
  const { address, secure } = parse(endpoint, tls !== undefined);
  const target = relay === undefined ? address : `unix:${relay.pathOf(address)}`;
  // A socket has no name that the member would know.
  const authority = relay === undefined ? {} : { "grpc.default_authority": address };
  const client = secure
    ? secureClient({ address, target, authority }, tlsNow(tls))
    : new Client(target, credentials.createInsecure(), { ...channelOptions, ...authority });
  return {
    endpoint,
    call: (method, request, { timeoutMs, token }) =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          method.path,
          method.serialize,
          method.deserialize,
          request,
          metadata(token),
          // grpc-js measures its deadlines by the wall clock.
          { deadline: wallClock() + timeoutMs },
          (error, response) => {
            if (error !== null) reject(error);
            else if (response === undefined) reject(new Error("a gRPC call ended without a response"));
            else resolve(response);
          },
        );
      }),
    stream(method, token) {
      const withLeader = metadata(token);
      // A member that lost its cluster ends the stream instead of standing still.
      withLeader.set("hasleader", "true");
      return client.makeBidiStreamRequest(method.path, method.serialize, method.deserialize, withLeader);
    },
    isUp(timeoutMs) {
      if (client.getChannel().getConnectivityState(true) === connectivityState.READY) return Promise.resolve(true);
      const deadline = wallClock() + Math.max(0, timeoutMs);
      return new Promise((resolve) => client.waitForReady(deadline, (error) => resolve(error === undefined)));
    },
    close: () => client.close(),
  };
}

/** grpc-js announces the host to the server, which Node 26 refuses for an address: its certificate is checked here then. */
function secureClient(
  { address, target, authority }: { readonly address: string; readonly target: string; readonly authority: object },
  tls: Tls | undefined,
): Client {
  const host = hostOf(address);
  const byAddress = isIP(host) !== 0;
  const verify: VerifyOptions = byAddress
    ? { checkServerIdentity: (_announced, certificate) => checkServerIdentity(host, certificate) }
    : {};
  const ssl = credentials.createSsl(tls?.ca ?? null, tls?.key ?? null, tls?.cert ?? null, verify);
  const relayed = target === address ? {} : { "grpc.ssl_target_name_override": host };
  const announced = byAddress ? { "grpc.ssl_target_name_override": "localhost" } : relayed;
  return new Client(target, ssl, { ...channelOptions, ...authority, ...announced });
}

/** `10.0.0.1:2379` → `10.0.0.1`, `[::1]:2379` → `::1`. */
function hostOf(address: string): string {
  return new URL(`https://${address}`).hostname.replace(/^\[|\]$/g, "");
}

function metadata(token: string | undefined): Metadata {
  const result = new Metadata();
  if (token !== undefined) result.set("token", token);
  return result;
}

/** `http://host:port`, `https://host:port` or `host:port`, as etcd's own tools take them. */
function parse(endpoint: string, hasTls: boolean): { address: string; secure: boolean } {
  const match = /^(?:(https?):\/\/)?([^/]+)\/?$/.exec(endpoint);
  if (match?.[2] === undefined) throw new RangeError(`not an endpoint of etcd: ${endpoint}`);
  return { address: match[2], secure: match[1] === undefined ? hasTls : match[1] === "https" };
}
