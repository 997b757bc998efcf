import { STATUS_CODES } from "@orch/status/node-http.js";
import { WebSocket, type WebSocketServer } from "ws";
import {
  type BodyStream,
  bothOf,
  byteLength,
  type HeaderList,
  type HttpResponse,
  noHeaders,
  nowhere,
  type TakenOver,
  withCommonHeaders,
} from "../response.js";
import { messageStream } from "./messages.js";
import { plainStream } from "./plain-stream.js";
import type { Upgrade } from "./upgrade.js";

/**
 * A stream of events goes over a WebSocket. A request that fails, or that asks for another protocol, is answered as plain
 * HTTP on a connection that ends with the answer.
 */
export class WebSocketResponse implements HttpResponse {
  code = 0;
  sent = 0;
  waitedMs = 0;
  readonly #upgrade: Upgrade;
  readonly #acceptor: WebSocketServer;
  readonly #closers: (() => void)[] = [];
  #added: HeaderList = noHeaders;
  #peer: WebSocket | undefined;

  constructor(upgrade: Upgrade, acceptor: WebSocketServer) {
    this.#upgrade = upgrade;
    this.#acceptor = acceptor;
    upgrade.socket.once("close", () => {
      for (const run of this.#closers) run();
    });
  }

  addHeaders(headers: HeaderList): void {
    this.#added = bothOf(this.#added, headers);
  }

  send(code: number, headers: HeaderList, body: Buffer | string): void {
    if (this.code !== 0 || this.closed) return;
    this.sent = byteLength(body);
    this.#writeHead(code, [...headers, "Content-Length", String(this.sent)]);
    this.#upgrade.socket.end(this.#upgrade.request.method === "HEAD" ? "" : body);
  }

  stream(code: number, headers: HeaderList): BodyStream {
    if (this.code !== 0 || this.closed) return nowhere;
    const { accepted, socket } = this.#upgrade;
    if (accepted) return this.#accept(headers[headers.indexOf("Content-Type") + 1] ?? "");
    this.#writeHead(code, headers);
    return plainStream(socket);
  }

  takeOver(): TakenOver | undefined {
    if (this.code !== 0 || this.closed) return undefined;
    this.code = 101;
    const { id, socket, head } = this.#upgrade;
    return { connection: socket, head, headers: ["Audit-Id", id, ...this.#added] };
  }

  #writeHead(code: number, headers: HeaderList): void {
    this.code = code;
    const { id, socket } = this.#upgrade;
    const list = [...withCommonHeaders(id, this.#added, headers), "Connection", "close"];
    const lines = list.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${list[i + 1]}\r\n`] : []));
    socket.write(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ""}\r\n${lines.join("")}\r\n`);
  }

  /** If the handshake is invalid, the library has answered it with an error. */
  #accept(contentType: string): BodyStream {
    this.code = 101;
    const { request, socket, head } = this.#upgrade;
    this.#acceptor.handleUpgrade(request, socket, head, (peer) => {
      this.#peer = peer;
      // A client that breaks the protocol loses its connection; an unhandled error would end the process.
      peer.on("error", () => {});
    });
    return this.#peer === undefined ? nowhere : messageStream(this.#peer, contentType);
  }

  onClose(run: () => void): void {
    if (this.#upgrade.socket.destroyed) run();
    else this.#closers.push(run);
  }

  get closed(): boolean {
    const { socket } = this.#upgrade;
    const left = this.#peer !== undefined && this.#peer.readyState !== WebSocket.OPEN;
    return left || socket.writableEnded || socket.destroyed;
  }
}
