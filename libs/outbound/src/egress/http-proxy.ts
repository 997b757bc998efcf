import { readFile } from "node:fs/promises";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ProxyAddress, ProxyTls } from "./configuration.js";
import { addressOf, type Staged, settled } from "./stage.js";

/** Nobody has as many to say before a connection is there. */
const maxHeadBytes = 64 * 1024;

/** Connections by CONNECT of HTTP/1.1. Files of TLS are read for each: they may have been replaced. */
export function dialThroughHttpProxy(proxy: ProxyAddress): Staged {
  const name = proxy.transport === "uds" ? proxy.socketPath : new URL(proxy.url).host;
  return async (to, { signal, reached }) => {
    const socket = await openProxy(proxy, signal);
    reached();
    try {
      const address = addressOf(to);
      // The very words of the reference, which some proxies were written for.
      socket.write(`CONNECT ${address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      const head = await readHead(socket, signal).catch((error: unknown) => {
        if (signal.aborted) throw error;
        const why = error instanceof Error ? error.message : "unknown";
        throw new Error(`reading HTTP response from CONNECT to ${address} via proxy ${name} failed: ${why}`);
      });
      if (head.code !== 200) {
        throw new Error(`proxy error from ${name} while dialing ${address}, code ${head.code}: ${head.status}`);
      }
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };
}

async function openProxy(proxy: ProxyAddress, signal: AbortSignal): Promise<Socket> {
  if (proxy.transport === "uds") return opened(connectTcp({ path: proxy.socketPath }), "connect", signal);
  const { protocol, hostname, port } = new URL(proxy.url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const at = { host, port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) };
  if (proxy.tls === undefined) return opened(connectTcp({ ...at, autoSelectFamily: true }), "connect", signal);
  const tls = { ...(await filesOf(proxy.tls)), ...(isIP(host) === 0 ? { servername: host } : {}) };
  return opened(connectTls({ ...at, ...tls, ALPNProtocols: ["http/1.1"] }), "secureConnect", signal);
}

async function filesOf({ authorities, certificate, key }: ProxyTls) {
  const [cert, privateKey] = await Promise.all([readFile(certificate), readFile(key)]);
  return { cert, key: privateKey, ...(authorities === undefined ? {} : { ca: await readFile(authorities) }) };
}

async function opened(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<Socket> {
  try {
    await settled<void>(signal, (resolve, reject) => {
      const up = (): void => resolve();
      const closed = (): void => reject(Object.assign(new Error("unexpected EOF"), { code: "ECONNRESET" }));
      socket.once(event, up);
      socket.once("error", reject);
      socket.once("close", closed);
      return () => {
        socket.off(event, up);
        socket.off("error", reject);
        socket.off("close", closed);
      };
    });
  } catch (error) {
    socket.on("error", () => {});
    socket.destroy();
    throw error;
  }
  socket.setNoDelay(true);
  return socket;
}

interface Head {
  readonly code: number;
  /** `403 Forbidden`. */
  readonly status: string;
}

/** The answer to CONNECT; what comes behind it is left in the socket. */
function readHead(socket: Socket, signal: AbortSignal): Promise<Head> {
  let gathered = Buffer.alloc(0);
  return settled<Head>(signal, (resolve, reject) => {
    const take = (): void => {
      for (let part: unknown = socket.read(); part instanceof Buffer; part = socket.read()) {
        gathered = Buffer.concat([gathered, part]);
        const found = headIn(gathered);
        if (found instanceof Error) {
          reject(found);
          return;
        }
        if (found === undefined) continue;
        if (found.rest.length > 0) socket.unshift(found.rest);
        resolve(found.head);
        return;
      }
    };
    const ended = (): void => {
      const text = gathered.toString("latin1");
      reject(text === "" || headOf(text) !== undefined ? new Error("unexpected EOF") : malformed(text));
    };
    socket.on("readable", take);
    socket.once("end", ended);
    socket.once("close", ended);
    socket.once("error", reject);
    return () => {
      socket.off("readable", take);
      socket.off("end", ended);
      socket.off("close", ended);
      socket.off("error", reject);
    };
  });
}

/** Undefined where the answer is not whole yet; what is no HTTP has no end either. */
function headIn(bytes: Buffer): { readonly head: Head; readonly rest: Buffer } | Error | undefined {
  const line = firstLine(bytes);
  const head = line === undefined ? undefined : headOf(line);
  if (line !== undefined && head === undefined) return malformed(line);
  const end = bytes.indexOf("\r\n\r\n");
  if (end >= 0 && head !== undefined) return { head, rest: bytes.subarray(end + 4) };
  return bytes.length > maxHeadBytes ? new Error("the response is too long") : undefined;
}

function firstLine(bytes: Buffer): string | undefined {
  const end = bytes.indexOf("\n");
  return end < 0 ? undefined : bytes.toString("latin1", 0, end > 0 && bytes[end - 1] === 13 ? end - 1 : end);
}

/** `HTTP/1.1 200 Connection established`. */
function headOf(line: string): Head | undefined {
  if (!line.startsWith("HTTP/1.")) return undefined;
  const space = line.indexOf(" ");
  const status = space < 0 ? "" : line.slice(space + 1).trim();
  const code = Number(status.slice(0, 3));
  if (!Number.isInteger(code) || code < 100 || (status.length > 3 && status[3] !== " ")) return undefined;
  return { code, status };
}

const malformed = (line: string): Error => new Error(`malformed HTTP response ${JSON.stringify(line.slice(0, 100))}`);
