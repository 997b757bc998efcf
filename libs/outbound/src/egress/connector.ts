import { isIP, Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import type { buildConnector } from "undici";
import type { Dial } from "../dial.js";
import { settled } from "./stage.js";

const connectMs = 10_000;

/** The `connect` of undici's agents, by a dial. `tls`: of addresses with https. */
export function connectorBy(dial: Dial, tls: ConnectionOptions): buildConnector.connector {
  const open = async ({ protocol, hostname, port }: buildConnector.Options): Promise<Socket | TLSSocket> => {
    const signal = AbortSignal.timeout(connectMs);
    const secure = protocol === "https:";
    const host = hostname.replace(/^\[|\]$/g, "");
    const socket = await dial({ host, port: port === "" ? (secure ? 443 : 80) : Number(port) }, signal);
    if (secure)
      return handshake(connectTls({ host, ...named(host), ...tls, socket, ALPNProtocols: ["http/1.1"] }), signal);
    if (socket instanceof Socket) return socket;
    socket.destroy();
    throw new Error("a tunnel carries connections of TLS alone");
  };
  return (options, done) => {
    open(options).then(
      (socket) => done(null, socket),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

/** An address is no name that TLS can announce. */
const named = (host: string): { readonly servername?: string } => (isIP(host) === 0 ? { servername: host } : {});

async function handshake(socket: TLSSocket, signal: AbortSignal): Promise<TLSSocket> {
  try {
    return await settled<TLSSocket>(signal, (resolve, reject) => {
      const up = (): void => resolve(socket);
      const closed = (): void => reject(Object.assign(new Error("EOF"), { code: "ECONNRESET" }));
      socket.once("secureConnect", up);
      socket.once("error", reject);
      socket.once("close", closed);
      return () => {
        socket.off("secureConnect", up);
        socket.off("error", reject);
        socket.off("close", closed);
      };
    });
  } catch (error) {
    socket.on("error", () => {});
    socket.destroy();
    throw error;
  }
}
