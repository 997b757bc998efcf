import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { freshStall, isStalled, type Stall } from "./stall.js";

/** The open connections and the newest response of each: who is idle, who is busy, who does not read. */
export interface Connections {
  opened(socket: Duplex): void;
  responding(socket: Duplex, response: ServerResponse): void;
  /** It goes on in another protocol: whoever speaks that ends it. */
  upgraded(socket: Duplex): void;
  /** A response of this connection has begun and is not all sent. */
  isBusy(socket: Duplex): boolean;
  /** Ends connections that took nothing of an ended response since the last few looks. */
  dropStalled(): void;
  /** From now on a connection ends when its response is sent; idle ones end at once. */
  drain(): void;
  readonly draining: boolean;
  /** Ends all that are left. */
  destroy(): void;
}

interface Connection {
  newest: ServerResponse | undefined;
  readonly stall: Stall;
}

export function createConnections(): Connections {
  const connections = new Map<Duplex, Connection>();
  const others = new Set<Duplex>();
  let draining = false;

  const isIdle = ({ newest }: Connection): boolean => newest === undefined || newest.writableFinished;

  return {
    opened(socket) {
      connections.set(socket, { newest: undefined, stall: freshStall() });
      socket.once("close", () => connections.delete(socket));
    },
    responding(socket, response) {
      const connection = connections.get(socket);
      if (connection === undefined) return;
      connection.newest = response;
      connection.stall.looks = 0;
    },
    upgraded(socket) {
      connections.delete(socket);
      others.add(socket);
      socket.once("close", () => others.delete(socket));
    },
    isBusy(socket) {
      const newest = connections.get(socket)?.newest;
      return newest?.headersSent === true && !newest.writableFinished;
    },
    dropStalled() {
      for (const [socket, connection] of connections) {
        const { newest } = connection;
        if (newest === undefined || !newest.writableEnded || newest.writableFinished) continue;
        if (isStalled(connection.stall, newest.writableLength + socket.writableLength)) socket.destroy();
      }
    },
    drain() {
      draining = true;
      for (const [socket, connection] of connections) {
        if (isIdle(connection)) socket.end();
        // One whose head said keep-alive does not end by itself.
        else connection.newest?.once("finish", () => socket.end());
      }
    },
    get draining() {
      return draining;
    },
    destroy() {
      for (const socket of [...connections.keys(), ...others]) socket.destroy();
    },
  };
}
