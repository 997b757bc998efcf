import type { Socket } from "node:net";

/** The TCP connections below TLS, whatever became of their TLS layer. */
export interface SocketsByPeer {
  opened(this: void, socket: Socket): void;
  /** The one that is below a TLS connection. */
  of(above: Socket): Socket | undefined;
  /** Settles when there are none. */
  empty(): Promise<void>;
  destroy(): void;
}

export function createSocketsByPeer(): SocketsByPeer {
  const open = new Set<Socket>();
  const byPeer = new Map<string, Socket>();
  const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  let onEmpty = (): void => {};
  return {
    opened(socket) {
      const name = nameOf(socket);
      open.add(socket);
      byPeer.set(name, socket);
      socket.once("close", () => {
        open.delete(socket);
        // A peer whose connection has gone may have another one from the same port already.
        if (byPeer.get(name) === socket) byPeer.delete(name);
        if (open.size === 0) onEmpty();
      });
    },
    of: (above) => byPeer.get(nameOf(above)),
    empty: () =>
      new Promise((resolve) => {
        onEmpty = resolve;
        if (open.size === 0) resolve();
      }),
    destroy() {
      for (const socket of open) socket.destroy();
    },
  };
}
