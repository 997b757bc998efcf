import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";

/** Opens a connection by whatever way leads there. */
export type Dial = (to: { readonly host: string; readonly port: number }, signal: AbortSignal) => Promise<Duplex>;

/** Unix sockets, in a folder that nobody else may enter, each of which leads to one address. */
export interface Relay {
  /** `host:port` → the path of its socket. */
  pathOf(address: string): string;
  close(): Promise<void>;
}

export interface RelayOptions {
  readonly dial: Dial;
  /** Of what is reached, for the folder. */
  readonly name: string;
  /** Of addresses without a port. */
  readonly usualPort: number;
  readonly failed: (error: unknown, address: string) => void;
}

const dialMs = 10_000;

/** grpc-js takes no sockets that others have opened; an address it does take. */
export async function openRelay(
  addresses: readonly string[],
  { dial, name, usualPort, failed }: RelayOptions,
): Promise<Relay> {
  const folder = await mkdtemp(join(tmpdir(), `orch-${name}-`));
  const open = new Set<Duplex>();
  const kept = (stream: Duplex): void => {
    open.add(stream);
    stream.on("close", () => open.delete(stream));
  };
  const paths = new Map(addresses.map((address, i) => [address, join(folder, `${i}.sock`)]));
  const servers = await Promise.all(
    [...paths].map(async ([address, path]) => {
      const { hostname, port } = new URL(`http://${address}`);
      const to = { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? usualPort : Number(port) };
      const server = createServer((socket) => {
        kept(socket);
        // Nobody waits any more; what is behind is ended with it.
        socket.on("error", () => {});
        dial(to, AbortSignal.timeout(dialMs)).then(
          (upstream) => {
            kept(upstream);
            joined(socket, upstream);
          },
          (err: unknown) => {
            failed(err, address);
            socket.destroy();
          },
        );
      });
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(path, resolve);
      });
      server.unref();
      return server;
    }),
  );
  return {
    pathOf: (address) => paths.get(address) ?? "",
    async close() {
      for (const server of servers) server.close();
      for (const stream of open) stream.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Bytes go both ways; what ends one ends the other. */
function joined(socket: Socket, upstream: Duplex): void {
  if (socket.destroyed) {
    upstream.on("error", () => {});
    upstream.destroy();
    return;
  }
  upstream.on("error", () => {});
  upstream.on("close", () => socket.destroy());
  socket.on("close", () => upstream.destroy());
  socket.pipe(upstream).pipe(socket);
}
