import { request } from "node:https";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** A TCP balancer before servers of HTTPS: TLS ends in them. */
export interface Balancer {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Servers that answered their last probe, by their addresses. */
  readonly ready: ReadonlySet<string>;
  /** Connections that each server was given. */
  readonly given: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

const probeEveryMs = 100;
const probeTimeoutMs = 1_000;

/**
 * Gives each new connection to the next server that is ready, and never takes one back. A connection that its server does not take is
 * broken: nobody else is asked, as by kube-proxy.
 */
export async function startBalancer(servers: readonly string[]): Promise<Balancer> {
  const ready = new Set<string>();
  const given = new Map(servers.map((server) => [server, 0]));
  const sockets = new Set<Socket>();
  let turn = 0;
  let stopped = false;
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.setNoDelay(true).once("close", () => sockets.delete(socket));
  };
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    track(client);
    const candidates = servers.filter((server) => ready.has(server));
    const server = candidates[turn++ % candidates.length];
    if (server === undefined) {
      client.destroy();
      return;
    }
    given.set(server, (given.get(server) ?? 0) + 1);
    const [host = "", port] = server.split(":");
    const upstream = track(connect({ host, port: Number(port), allowHalfOpen: true }));
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.resetAndDestroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const look = async (server: string): Promise<void> => {
    if (await isReady(server)) ready.add(server);
    else ready.delete(server);
  };
  await Promise.all(servers.map(look));
  // One that answers late does not keep what is known of the others from being renewed.
  const looking = Promise.all(
    servers.map(async (server) => {
      while (!stopped) {
        await delay(probeEveryMs);
        await look(server);
      }
    }),
  );
  const { port } = listener.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    ready,
    given,
    async stop() {
      stopped = true;
      await looking;
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function isReady(server: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { agent: false, rejectUnauthorized: false, timeout: probeTimeoutMs };
    const sent = request(`https://${server}/readyz`, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.on("timeout", () => sent.destroy());
    sent.on("error", () => resolve(false)).end();
  });
}
