import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { freshStall, isStalled, type Stall } from "./stall.js";

/** The open connections and the newest response of each, which tell idle, busy and stalled connections apart. */
export interface Connections {
  opened(socket: Duplex): void;
  responding(socket: Duplex, response: ServerResponse): void;
  /** The connection goes on in another protocol, whose code ends it. */
  upgraded(socket: Duplex): void;
  /** A response of this connection has begun and is not all sent. */
  isBusy(socket: Duplex): boolean;
  /** Ends connections that took nothing of an ended response since the last few looks. */
  dropStalled(): void;
  /** Ends those that have been idle for the last few looks; called while the server drains. */
  dropQuiet(): void;
  /** Whether every one that is left has begun an answer. */
  readonly settled: boolean;
  /** Ends all that are left. */
  destroy(): void;
}

interface Connection {
  newest: ServerResponse | undefined;
  readonly stall: Stall;
  /** Looks in a row that found it idle. */
  quietLooks: number;
}

/**
 * How many looks a draining server waits before it ends an idle connection: a client that sends a request now and then sends
 * one in that time, and its answer says that the connection ends.
 */
export const quietPatience = 10;
/** How long a client may take to notice the end: a request that it sends meanwhile must not meet a reset. */
const lingerMs = 250;

export function createConnections(): Connections {
  const connections = new Map<Duplex, Connection>();
  const others = new Set<Duplex>();

  const isIdle = ({ newest }: Connection): boolean => newest === undefined || newest.writableFinished;

  return {
    opened(socket) {
      connections.set(socket, { newest: undefined, stall: freshStall(), quietLooks: 0 });
      socket.once("close", () => connections.delete(socket));
    },
    responding(socket, response) {
      const connection = connections.get(socket);
      if (connection === undefined) return;
      connection.newest = response;
      connection.stall.looks = 0;
      connection.quietLooks = 0;
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
    dropQuiet() {
      for (const [socket, connection] of connections) {
        if (!isIdle(connection)) connection.quietLooks = 0;
        else if (++connection.quietLooks === quietPatience) endGently(socket);
      }
    },
    get settled() {
      for (const connection of connections.values()) {
        if (isIdle(connection) || connection.newest?.headersSent !== true) return false;
      }
      return true;
    },
    destroy() {
      for (const socket of [...connections.keys(), ...others]) socket.destroy();
    },
  };
}

function endGently(socket: Duplex): void {
  socket.end();
  const patience = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(patience));
}
