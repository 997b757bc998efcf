import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy that tests cut. */
export interface TcpProxy {
  readonly port: number;
  /** Bytes that came back from the server. */
  readonly received: number;
  /** Breaks every connection without a farewell; new ones pass. */
  cut(): void;
  /** Refuses what comes, until it is let again. */
  refuse(refused: boolean): void;
  close(): Promise<void>;
}

export async function createTcpProxy(toPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let refused = false;
  let received = 0;
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    track(near);
    if (refused) {
      near.destroy();
      return;
    }
    const far = connect(toPort, "127.0.0.1");
    track(far);
    far.on("data", (bytes) => {
      received += bytes.length;
    });
    near.pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    get received() {
      return received;
    },
    cut,
    refuse: (value) => {
      refused = value;
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
