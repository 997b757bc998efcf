import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { issueServing } from "@orch/pki/certificates.js";
import type { Pki } from "@orch/service-standalone/pki/pki.js";

/** A node's agent of which the test says what it does. */
export interface NodeAgent {
  readonly port: number;
  /** Requests as they came, in order. */
  readonly heard: readonly IncomingMessage[];
  /** Names of the clients by their certificates. */
  readonly clients: readonly string[];
  /** What the next requests are answered by. */
  answer(run: (request: IncomingMessage, response: ServerResponse) => void): void;
  upgrade(run: (request: IncomingMessage, socket: Duplex, head: Buffer) => void): void;
  /** Ends every connection at once, as a machine that loses its power. */
  die(): void;
  close(): Promise<void>;
}

/** Listens on all addresses of this machine with a certificate of the server's authority, and asks clients for theirs. */
export async function startNodeAgent(pki: Pki): Promise<NodeAgent> {
  const authority = { certificate: pki.ca, key: await readFile(pki.paths.caKey, "utf8") };
  const { certificate: cert, key } = await issueServing(authority, ["127.0.0.1", "localhost"], Date.now());
  const heard: IncomingMessage[] = [];
  const clients: string[] = [];
  let answer = (_request: IncomingMessage, response: ServerResponse): void => void response.end();
  let upgrade = (_request: IncomingMessage, socket: Duplex, _head: Buffer): void => void socket.end();
  const note = (request: IncomingMessage): void => {
    heard.push(request);
    const { socket } = request;
    clients.push(
      socket instanceof TLSSocket && socket.authorized ? String(socket.getPeerCertificate().subject.CN) : "",
    );
  };
  const server = createServer({ cert, key, ca: pki.ca, requestCert: true }, (request, response) => {
    note(request);
    answer(request, response);
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    note(request);
    socket.on("error", () => {});
    upgrade(request, socket, head);
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const die = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    ...{ heard, clients, die },
    answer: (run) => {
      answer = run;
    },
    upgrade: (run) => {
      upgrade = run;
    },
    async close() {
      die();
      server.close();
    },
  };
}
