import { Server, type ServerDuplexStream, status } from "@grpc/grpc-js";
import { createReusedMemory } from "@orch/status/chunk-memory.js";
import type { Clock } from "@orch/status/clock.js";
import { messageOf } from "@orch/status/message-of.js";
import type { JoinTrace } from "@orch/status/span.js";
import { socketScheme } from "../addresses.js";
import { callClock } from "../clock.js";
import { createDeadlines } from "../deadlines.js";
import { flushAt } from "../limits.js";
import { type RpcLog, silent } from "../log.js";
import type { Services } from "../rpc.js";
import { createServedMethods } from "../served-methods.js";
import { channelOptions, type LinkSecurity, linkMethod, named, serverCredentials } from "./grpc-link.js";
import { createServerConnection, type ServerConnection } from "./server-connection.js";
import { createSharedMessages } from "./server-stream.js";

/** Port 0 picks one. A path is that of a Unix domain socket: whoever may open it is trusted. */
export type ListenAt = { readonly host: string; readonly port: number } | { readonly path: string };

export type GrpcServerOptions = ListenAt & {
  /** Who may call; without it whoever reaches the address. */
  readonly security?: LinkSecurity | undefined;
  readonly clock?: Clock;
  readonly log?: RpcLog;
  /** Where this process takes part in its callers' traces. */
  readonly joinTrace?: JoinTrace | undefined;
  /** Of the protocol; the one that this build speaks where absent. */
  readonly version?: number;
};

export interface GrpcServer {
  /** Handlers may be registered before and after `listen`. */
  readonly services: Services;
  /** The port it listens on, of no meaning with a path; rejects when that cannot be had. */
  listen(): Promise<number>;
  /**
   * Tells every peer to go, refuses new calls (they go to another peer) and lets those under way finish for
   * `graceMs`; what then still runs is cancelled, its streams end as ServiceUnavailable.
   */
  close(graceMs: number): Promise<void>;
}

/** Of batches that were sent, kept for others. */
const reusedBytes = 4 * 1024 * 1024;

/** How long clients may take to leave once nothing is under way. */
const leaveMs = 200;

export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const { security, clock = callClock, log = silent, joinTrace, version } = options;
  const methods = createServedMethods();
  const shared = createSharedMessages();
  const deadlines = createDeadlines(clock);
  const connections = new Map<ServerConnection, Wire>();
  // gRPC has copied a batch into a message of its own when it calls back.
  const memory = createReusedMemory({ pieceBytes: flushAt * 2, maxBytes: reusedBytes });
  const server = new Server({ ...channelOptions });
  let closing = false;
  let onEmpty = (): void => {};

  const open = (wire: Wire): void => {
    const stranger = strangerAt(wire, security);
    if (stranger !== undefined) {
      log.warn({ peer: wire.getPeer(), identity: stranger }, "a peer is refused: it is none of those that may call");
      wire.on("error", () => {});
      const details = `${named(stranger)} may not call this service`;
      wire.emit("error", { code: status.PERMISSION_DENIED, details });
      return;
    }
    const parts = { writer: wire, memory, methods, shared, deadlines, clock, log, joinTrace };
    const connection = createServerConnection({ ...parts, ...(version === undefined ? {} : { version }) });
    connections.set(connection, wire);
    if (closing) connection.drain();
    const lost = (): void => {
      connections.delete(connection);
      connection.lost();
      if (connections.size === 0) onEmpty();
    };
    wire.on("data", (batch: Buffer) => {
      try {
        connection.receive(batch);
      } catch (thrown) {
        const why = messageOf(thrown);
        log.error({ err: thrown, peer: wire.getPeer() }, "a connection is ended: its peer sent what cannot be read");
        lost();
        wire.emit("error", { code: status.INVALID_ARGUMENT, details: `unreadable frames: ${why}` });
      }
    });
    wire.on("end", () => {
      lost();
      wire.end();
    });
    wire.on("cancelled", lost);
    wire.on("close", lost);
    wire.on("error", lost);
  };
  server.addService({ Open: { ...linkMethod, originalName: "open" } }, { Open: open });

  return {
    services: methods,
    listen: () =>
      new Promise((resolve, reject) => {
        server.bindAsync(addressOf(options), serverCredentials(security), (error, bound) => {
          if (error === null) resolve(bound);
          else reject(error);
        });
      }),
    close: async (graceMs) => {
      closing = true;
      const empty = new Promise<void>((resolve) => {
        onEmpty = resolve;
        if (connections.size === 0) resolve();
      });
      // The clients leave, not we: a request that crosses our farewell is still refused properly.
      for (const connection of connections.keys()) connection.drain();
      await within(clock, graceMs, empty);
      for (const connection of connections.keys()) connection.abandon();
      await within(clock, leaveMs, empty);
      for (const wire of connections.values()) wire.end();
      await within(clock, leaveMs, new Promise<void>((done) => server.tryShutdown(() => done())));
      server.forceShutdown();
      for (const connection of [...connections.keys()]) connection.lost();
    },
  };
}

/** The identity of a client that may not call; undefined for one that may. */
function strangerAt(wire: Wire, security: LinkSecurity | undefined): string | undefined {
  if (security === undefined) return undefined;
  const { accepted, identity } = security.accepts(wire.getAuthContext().sslPeerCertificate ?? {});
  return accepted ? undefined : identity;
}

function addressOf(at: ListenAt): string {
  if ("path" in at) return `${socketScheme}${at.path}`;
  return `${at.host.includes(":") ? `[${at.host}]` : at.host}:${at.port}`;
}

type Wire = ServerDuplexStream<Buffer, Buffer>;

/** Waits for a promise, but no longer than `ms`. */
async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  let stop = (): void => {};
  const limit = new Promise<void>((resolve) => {
    stop = clock.after(ms, resolve);
  });
  await Promise.race([work, limit]);
  stop();
}
