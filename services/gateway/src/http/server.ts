import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { parsePath } from "../path.js";
import { asksForCertificates, tlsContexts } from "../tls/contexts.js";
import type { TlsSource } from "../tls/material.js";
import { verbOf } from "../verbs.js";
import { createConnections } from "./connections.js";
import { createDraining, type Draining } from "./draining.js";
import type { Serve } from "./exchange.js";
import { Http1Request } from "./http1/request.js";
import { Http1Response } from "./http1/response.js";
import { createHttp2Sessions } from "./http2/sessions.js";
import { createPeerOf } from "./peer.js";
import { plainHttpText, protocolRefusal, refusalText } from "./protocol-refusals.js";
import { givenId, parseRequestTarget } from "./request.js";
import { hasBody } from "./request-body.js";
import { createSocketsByPeer } from "./sockets-by-peer.js";
import { createAtTurnEnd } from "./turn.js";
import { createWebSocketExchanges } from "./websocket/exchanges.js";

export interface ServerConfig {
  readonly bindAddress: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Milliseconds in which a whole request must have come; a watch's response is not bound by it. */
  readonly requestTimeoutMs: number;
  /** Milliseconds after which an HTTP/2 connection without requests ends; 90 s where absent. */
  readonly idleMs?: number;
  /** Streams that an HTTP/2 connection may have open at once. */
  readonly http2MaxStreams: number;
  /** Of the WebSocket protocol that is a bearer token: what stands before it. */
  readonly tokenProtocol: string;
  /** What new connections are made with. Whether clients are asked for certificates does not change. */
  readonly tls: TlsSource;
}

/** Tells `take` of each connection that another process, which has the port, hands over. */
export type ConnectionSource = (take: (socket: Socket) => void) => void;

export interface ServerDeps {
  /** Where connections come from; the port of the configuration where absent. */
  readonly connections?: ConnectionSource | undefined;
  /** Called for each TLS handshake that fails. */
  readonly handshakeFailed?: (() => void) | undefined;
  readonly newId: () => string;
  readonly serve: Serve;
}

export interface HttpServer extends Pick<Draining, "leave" | "drain"> {
  /** The port that it listens on. @throws the system's error, EADDRINUSE among them */
  listen(): Promise<number>;
  /** Drains, lets running responses end, and closes what is left after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** The reference allows 1 MiB of headers; no known client needs a fraction of that. */
const maxHeaderBytes = 64 * 1024;
const headersTimeoutMs = 10_000;
const keepAliveMs = 90_000;
/** How long a connection may be silent before TCP probes it: a watch may have nothing to send for long. */
const tcpKeepAliveMs = 30_000;
const checkIntervalMs = 1_000;
/** How often the server looks for responses that their clients do not read. */
const stalledLookMs = 5_000;
/** How long a client may take to read why its connection ends. */
const farewellMs = 1_000;
const backlog = 16_384;

export function createHttpServer(config: ServerConfig, deps: ServerDeps): HttpServer {
  const { tls } = config;
  let contexts = tlsContexts(tls.current());
  const connections = createConnections();
  const atTurnEnd = createAtTurnEnd();
  const peerOf = createPeerOf();
  /** Connections whose clients were sent the reason for their end. */
  const told = new WeakSet<Duplex>();
  const server: Server = createServer(
    {
      ...contexts.main,
      ...(asksForCertificates(tls.current()) ? { requestCert: true, rejectUnauthorized: false } : {}),
      SNICallback: (name, found) => found(null, contexts.forName(name)),
      ALPNProtocols: ["h2", "http/1.1"],
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: Math.min(headersTimeoutMs, config.requestTimeoutMs),
      requestTimeout: config.requestTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      handshakeTimeout: headersTimeoutMs,
      connectionsCheckingInterval: checkIntervalMs,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: tcpKeepAliveMs,
    },
    (request, response) => {
      // A request that arrives after the connection's end could be executed, but never answered.
      if (request.socket.writableEnded) return;
      const refusal = protocolRefusal(request);
      if (refusal !== undefined) {
        told.add(request.socket);
        sayGoodbye(request.socket, refusalText(refusal));
        return;
      }
      connections.responding(request.socket, response);
      const id = givenId(request.headers) ?? deps.newId();
      deps.serve({
        request: new Http1Request(id, request, peerOf),
        response: new Http1Response(id, response, shared),
      });
    },
  );
  // Open connections stay, but their TLS sessions cannot be resumed: a new context accepts no session of the old one.
  tls.onChange(() => {
    contexts = tlsContexts(tls.current());
    server.setSecureContext(contexts.main);
  });
  const webSocketExchange = createWebSocketExchanges(config.tokenProtocol, peerOf);
  server.on("upgrade", (request: IncomingMessage, socket: TLSSocket, head: Buffer) => {
    const refusal = protocolRefusal(request);
    if (refusal !== undefined) {
      sayGoodbye(socket, refusalText(refusal));
      return;
    }
    connections.upgraded(socket);
    const accepted = isWebSocketWatch(request);
    const exchange = webSocketExchange({
      request,
      socket,
      head,
      id: givenId(request.headers) ?? deps.newId(),
      accepted,
    });
    // The parser does not read the body of such a request: it belongs to the other protocol.
    if (accepted || !hasBody(request.headers)) deps.serve(exchange);
    else {
      const headers = ["Content-Type", "text/plain; charset=utf-8"];
      exchange.response.send(400, headers, "a request with a body cannot be upgraded\n");
    }
  });
  // Tunnels are not served; without a listener node would end the connection without an answer.
  server.on("connect", (_request: IncomingMessage, socket: TLSSocket) => {
    sayGoodbye(socket, refusalText({ status: "405 Method Not Allowed", why: "" }));
  });
  const sockets = createSocketsByPeer();
  // A broken connection reports its error on its own streams; an unhandled error here would end the process.
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => {
    deps.handshakeFailed?.();
    if (error.code === "ERR_SSL_HTTP_REQUEST") sockets.of(socket)?.end(plainHttpText);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // What follows an invalid request is read and dropped until the client has gone or its time is over.
    if (told.has(socket)) return;
    told.add(socket);
    if (connections.isBusy(socket) || !socket.writable || error.code === "ECONNRESET") socket.destroy();
    else sayGoodbye(socket, `HTTP/1.1 ${statusOf(error.code)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  server.on("connection", sockets.opened);
  const http2 = createHttp2Sessions(
    {
      maxStreams: config.http2MaxStreams,
      maxHeaderBytes,
      idleMs: config.idleMs ?? keepAliveMs,
      requestTimeoutMs: config.requestTimeoutMs,
    },
    { serve: deps.serve, newId: deps.newId, peerOf, atTurnEnd },
  );
  divert(server, http2.opened, connections.opened);
  const watchdog = setInterval(() => {
    connections.dropStalled();
    http2.dropStalled();
  }, stalledLookMs);
  watchdog.unref();

  const draining = createDraining(server, connections, http2);
  const shared = { atTurnEnd, isLeaving: draining.isLeaving };

  return {
    listen() {
      if (deps.connections !== undefined) {
        serveFrom(server, deps.connections);
        return Promise.resolve(config.port);
      }
      return new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen({ host: config.bindAddress, port: config.port, backlog }, () => {
          server.off("error", reject);
          resolve((server.address() as AddressInfo).port);
        });
      });
    },
    leave: draining.leave,
    drain: draining.drain,
    async close(graceMs) {
      await draining.drain(graceMs);
      http2.close();
      const force = setTimeout(() => {
        connections.destroy();
        http2.destroy();
        sockets.destroy();
      }, graceMs);
      // Node's own close does not wait for connections that another process handed over.
      await sockets.empty();
      clearTimeout(force);
      draining.end();
      clearInterval(watchdog);
      server.close();
    },
  };
}

function serveFrom(server: Server, source: ConnectionSource): void {
  // This event makes node look for requests that take too long.
  server.emit("listening");
  source((socket) => {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, tcpKeepAliveMs);
    server.emit("connection", socket);
  });
}

function isWebSocketWatch({ method = "GET", url = "/", headers }: IncomingMessage): boolean {
  if (headers.upgrade?.toLowerCase() !== "websocket" || headers["sec-websocket-key"] === undefined) return false;
  const { path, query } = parseRequestTarget(url);
  const route = parsePath(path);
  return route.type === "resource" && verbOf(method, route, query) === "watch";
}

/** A connection goes to the protocol that its two sides agreed on (ALPN); node's server speaks the first version. */
function divert(server: Server, second: (socket: TLSSocket) => void, first: (socket: TLSSocket) => void): void {
  const parse = server.listeners("secureConnection");
  server.removeAllListeners("secureConnection");
  server.on("secureConnection", (socket: TLSSocket) => {
    if (socket.alpnProtocol === "h2") {
      second(socket);
      return;
    }
    first(socket);
    for (const listener of parse) listener.call(server, socket);
  });
}

/**
 * Answers an invalid request and reads on for a moment: if the server closed at once, the client could see a reset
 * instead of the answer.
 */
function sayGoodbye(socket: Duplex, answer: string): void {
  socket.end(answer);
  const patience = setTimeout(() => socket.destroy(), farewellMs);
  socket.once("close", () => clearTimeout(patience));
}

function statusOf(code: string | undefined): string {
  if (code === "HPE_HEADER_OVERFLOW") return "431 Request Header Fields Too Large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "408 Request Timeout";
  return "400 Bad Request";
}
