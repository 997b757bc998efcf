import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TestContext } from "node:test";
import type { HostPort } from "../dial.js";

/** Listens until the test ends; its connections end then too. */
export async function listening(t: TestContext, server: Server, path?: string): Promise<HostPort> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
  });
  server.listen(path === undefined ? { port: 0, host: "127.0.0.1" } : { path });
  await once(server, "listening");
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { host: "127.0.0.1", port: typeof address === "object" && address !== null ? address.port : 0 };
}

/** Sends back what it gets, and ends when the other side does. */
export function echo(t: TestContext): Promise<HostPort> {
  return listening(
    t,
    createServer((socket) => void socket.pipe(socket)),
  );
}

/** The next so many bytes of a connection, as text. */
export function received(socket: Duplex, length: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let left = length;
    const take = (part: Buffer): void => {
      parts.push(part);
      left -= part.length;
      if (left > 0) return;
      socket.off("data", take);
      socket.off("error", reject);
      resolve(Buffer.concat(parts).toString());
    };
    socket.on("data", take);
    socket.once("error", reject);
  });
}
