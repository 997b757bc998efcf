import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy on a free port of 127.0.0.1, in front of one server, that fails in the ways networks do. */
export interface TcpProxy {
  /** `host:port` to connect to. */
  readonly address: string;
  readonly port: number;
  /** Connections that are open now. */
  connections(): number;
  /** What passed to clients so far, all connections together. */
  bytesToClients(): number;
  /** Ends all connections at once (reset); new ones are taken. */
  cut(): void;
  /** Lets so many more bytes pass to clients, all connections together, then cuts. Resolves when that happened. */
  cutAfter(bytesToClients: number): Promise<void>;
  /** Swallows bytes of one direction, or of both (a black hole), until `pass`; connections stay open. What was swallowed stays lost. */
  swallow(direction: "requests" | "replies" | "both"): void;
  pass(): void;
  /** Ends all connections and takes no new ones until `allow`. */
  refuse(): void;
  allow(): void;
  stop(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export async function startTcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let swallowed: "requests" | "replies" | "both" | undefined;
  let refusing = false;
  let passed = 0;
  let budget: { left: number; readonly spent: () => void } | undefined;

  function cut(): void {
    for (const { client, server } of pairs) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
    pairs.clear();
  }

  function toClient(pair: Pair, bytes: Buffer): void {
    if (swallowed === "replies" || swallowed === "both") return;
    if (budget !== undefined && bytes.length >= budget.left) {
      const { spent } = budget;
      budget = undefined;
      cut();
      spent();
      return;
    }
    if (budget !== undefined) budget.left -= bytes.length;
    passed += bytes.length;
    forward(pair.server, pair.client, bytes);
  }

  const listener = createServer((client) => {
    if (refusing) {
      client.resetAndDestroy();
      return;
    }
    const server = connect(target.port, target.host);
    const pair = { client, server };
    pairs.add(pair);
    client.on("data", (bytes) => {
      if (swallowed !== "requests" && swallowed !== "both") forward(client, server, bytes);
    });
    server.on("data", (bytes) => toClient(pair, bytes));
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        pairs.delete(pair);
        other.destroy();
      });
    }
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  return {
    address: `127.0.0.1:${port}`,
    port,
    connections: () => pairs.size,
    bytesToClients: () => passed,
    cut,
    cutAfter: (left) =>
      new Promise((spent) => {
        budget = { left, spent };
      }),
    swallow(direction) {
      swallowed = direction;
    },
    pass() {
      swallowed = undefined;
    },
    refuse() {
      refusing = true;
      cut();
    },
    allow() {
      refusing = false;
    },
    async stop() {
      cut();
      listener.close();
      await once(listener, "close");
    },
  };
}

/** Backpressure passes through: a reader that stops makes the other side's writer wait. */
function forward(from: Socket, to: Socket, bytes: Buffer): void {
  if (to.write(bytes)) return;
  from.pause();
  to.once("drain", () => from.resume());
}
