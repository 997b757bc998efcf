import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** An HTTP proxy on a Unix socket that knows CONNECT alone. */
export interface ConnectProxy {
  /** `host:port` of each connection it was asked for. */
  readonly asked: string[];
  close(): void;
}

export async function startConnectProxy(path: string): Promise<ConnectProxy> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const kept = (socket: Socket): Socket => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => open.delete(socket));
    return socket;
  };
  const server = createServer((client) => {
    kept(client).once("data", (head: Buffer) => {
      const address = head.toString().split(" ")[1] ?? "";
      asked.push(address);
      const at = address.lastIndexOf(":");
      const upstream = connect({ host: address.slice(0, at), port: Number(address.slice(at + 1)) }, () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        client.pipe(upstream).pipe(client);
      });
      kept(upstream).on("close", () => client.destroy());
      client.on("close", () => upstream.destroy());
    });
  });
  server.listen(path);
  await once(server, "listening");
  return {
    asked,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
