import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface HostPort {
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Opens a connection of bytes, by whatever way leads there. Rejects with the system's error, and when `signal` aborts. */
export type Dial = (to: HostPort, signal: AbortSignal) => Promise<Duplex>;

/** How long a connection may be silent before TCP probes it: a machine that has lost its power ends nothing. */
const probeAfterMs = 30_000;

/** Straight over TCP. */
export const dialDirectly: Dial = ({ host, port }, signal) =>
  new Promise((resolve, reject) => {
    const socket: Socket = connect({ host, port, autoSelectFamily: true });
    const leave = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    const settled = (): void => signal.removeEventListener("abort", leave);
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    socket.setNoDelay(true).setKeepAlive(true, probeAfterMs);
    socket.once("error", (error) => {
      settled();
      reject(error);
    });
    socket.once("connect", () => {
      settled();
      socket.removeAllListeners("error");
      resolve(socket);
    });
  });
