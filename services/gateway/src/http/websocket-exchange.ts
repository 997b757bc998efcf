import { type IncomingHttpHeaders, type IncomingMessage, STATUS_CODES } from "node:http";
import type { TLSSocket } from "node:tls";
import { WebSocket, WebSocketServer } from "ws";
import { type CutFrames, cutterOf } from "../stream-frames.js";
import {
  commonHeaders,
  type DistinctHeaders,
  type Exchange,
  type HeaderList,
  headerText,
  parseTarget,
} from "./exchange.js";

/** A request to go on as a WebSocket, as node's server gives it away. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: TLSSocket;
  /** What came behind the request. */
  readonly head: Buffer;
  readonly id: string;
  /** Whether it does go on as one; else it is answered as if nothing but HTTP had been asked for. */
  readonly accepted: boolean;
}

interface Accepting {
  readonly acceptor: WebSocketServer;
  readonly tokenProtocol: string;
}

/** What a client may say on a watch: nothing that is listened to. */
const maxMessageBytes = 1024;
/** Bytes that wait for a client before the sender is held back. */
const highWater = 64 * 1024;

/**
 * A watch over a WebSocket, an event a message: text where it is JSON, else bytes without the length before them. A
 * request that fails, or that asks for another protocol, is answered as plain HTTP on a connection that ends with it.
 */
class WebSocketExchange implements Exchange {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly socket: TLSSocket;
  also: HeaderList = [];
  code = 0;
  readonly #upgrade: Upgrade;
  readonly #acceptor: WebSocketServer;
  readonly #closers: (() => void)[] = [];
  #drained: (() => void) | undefined;
  #peer: WebSocket | undefined;
  #cut: CutFrames = () => [];
  #asText = true;

  constructor(upgrade: Upgrade, { acceptor, tokenProtocol }: Accepting) {
    const { request, socket, id } = upgrade;
    this.#upgrade = upgrade;
    this.#acceptor = acceptor;
    this.id = id;
    this.socket = socket;
    this.headers = withToken(request.headers, tokenProtocol);
    this.method = request.method ?? "GET";
    const { path, query } = parseTarget(request.url ?? "/");
    this.path = path;
    this.query = query;
    socket.once("close", () => {
      for (const run of this.#closers) run();
    });
  }

  header(name: string): string | undefined {
    return headerText(this.headers[name]);
  }

  distinctHeaders(): DistinctHeaders {
    return this.#upgrade.request.headersDistinct;
  }

  async body(): Promise<Buffer> {
    return Buffer.alloc(0);
  }

  send(code: number, headers: HeaderList, body: Buffer | string): void {
    if (this.begun || this.closed) return;
    this.code = code;
    this.#writeHead(code, [...headers, "Content-Length", String(Buffer.byteLength(body))]);
    this.socket.end(this.method === "HEAD" ? "" : body);
  }

  #writeHead(code: number, headers: HeaderList): void {
    const list = [...commonHeaders(this, headers), "Connection", "close"];
    const lines = list.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${list[i + 1]}\r\n`] : []));
    this.socket.write(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ""}\r\n${lines.join("")}\r\n`);
  }

  begin(code: number, headers: HeaderList): void {
    if (this.begun || this.closed) return;
    if (!this.#upgrade.accepted) {
      this.code = code;
      this.#writeHead(code, headers);
      return;
    }
    this.code = 101;
    const contentType = headers[headers.indexOf("Content-Type") + 1] ?? "";
    this.#cut = cutterOf(contentType);
    this.#asText = contentType.includes("json");
    const { request, socket, head } = this.#upgrade;
    this.#acceptor.handleUpgrade(request, socket, head, (peer) => {
      this.#peer = peer;
      // What breaks the protocol ends the connection; nothing here may end the process.
      peer.on("error", () => {});
    });
  }

  write(chunk: Buffer): boolean {
    const peer = this.#peer;
    if (!this.#upgrade.accepted) return this.socket.write(chunk);
    if (peer === undefined || peer.readyState !== WebSocket.OPEN) return true;
    for (const frame of this.#cut(chunk)) {
      peer.send(frame, { binary: !this.#asText }, () => this.#sent());
    }
    return peer.bufferedAmount < highWater;
  }

  #sent(): void {
    if (this.#drained === undefined || (this.#peer?.bufferedAmount ?? 0) >= highWater) return;
    const run = this.#drained;
    this.#drained = undefined;
    run();
  }

  end(): void {
    if (this.#upgrade.accepted) this.#peer?.close(1000);
    else this.socket.end();
  }

  cut(): void {
    this.socket.destroy();
  }

  onDrain(run: () => void): void {
    if (this.#upgrade.accepted) this.#drained = run;
    else this.socket.once("drain", run);
  }

  onClose(run: () => void): void {
    if (this.socket.destroyed) run();
    else this.#closers.push(run);
  }

  get begun(): boolean {
    return this.code !== 0;
  }

  get closed(): boolean {
    return (
      this.socket.writableEnded ||
      this.socket.destroyed ||
      (this.#peer !== undefined && this.#peer.readyState !== WebSocket.OPEN)
    );
  }
}

function withToken(headers: IncomingHttpHeaders, prefix: string): IncomingHttpHeaders {
  const offered = headers["sec-websocket-protocol"]?.split(",").map((protocol) => protocol.trim()) ?? [];
  const token = offered.find((protocol) => protocol.startsWith(prefix))?.slice(prefix.length);
  if (token === undefined || headers.authorization !== undefined) return headers;
  return { ...headers, authorization: `Bearer ${Buffer.from(token, "base64url").toString("utf8")}` };
}

/**
 * Makes exchanges of upgrades. Browsers cannot send headers: behind `tokenProtocol`, one of the protocols that they
 * offer is their bearer token.
 */
export function createWebSocketExchanges(tokenProtocol: string): (upgrade: Upgrade) => Exchange {
  const acceptor = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    // Who began to speak is the exchange's to end.
    clientTracking: false,
    handleProtocols: (offered) => [...offered].find((protocol) => !protocol.startsWith(tokenProtocol)) ?? false,
  });
  return (upgrade) => new WebSocketExchange(upgrade, { acceptor, tokenProtocol });
}
