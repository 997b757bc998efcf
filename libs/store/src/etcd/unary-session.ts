import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from "node:http2";
import { connect as connectSocket, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { status } from "@grpc/grpc-js";
import type { Method } from "./methods.js";
import { type Tls, type TlsSource, tlsNow } from "./tls.js";

export interface CallOptions {
  readonly timeoutMs: number;
  readonly token: string | undefined;
}

/**
 * gRPC's unary calls to one server, straight on node:http2: a request is one stream with one framed
 * message each way and the outcome in the trailers. grpc-js's own unary path costs twice the CPU.
 */
export interface UnarySession {
  /** Whether a session with the server stands, or comes up within so long. */
  isUp(timeoutMs: number): Promise<boolean>;
  /** Sends the request once. Rejects with gRPC's `code` and `details`, or with what broke the connection. */
  call<Request, Response>(method: Method<Request, Response>, request: Request, options: CallOptions): Promise<Response>;
  close(): void;
}

const windowBytes = 4 << 20;
const pingMs = 1_000;

/** `path`: of a Unix socket that leads to the origin. */
export function createUnarySession(origin: string, source: TlsSource | undefined, path?: string): UnarySession {
  let session: ClientHttp2Session | undefined;
  let connecting: Promise<boolean> | undefined;
  let closed = false;

  const stands = (candidate: ClientHttp2Session | undefined): candidate is ClientHttp2Session =>
    candidate !== undefined && !candidate.closed && !candidate.destroyed;

  function open(timeoutMs: number): Promise<boolean> {
    const tls = tlsNow(source);
    const candidate = connect(origin, {
      ...tls,
      settings: { initialWindowSize: windowBytes, enablePush: false },
      maxSessionMemory: 1024,
      ...(path === undefined ? {} : { createConnection: () => socketTo(path, new URL(origin), tls) }),
    });
    return new Promise((resolve) => {
      const timer = setTimeout(() => candidate.destroy(), timeoutMs);
      const settle = (up: boolean): void => {
        clearTimeout(timer);
        connecting = undefined;
        resolve(up);
      };
      candidate.on("error", () => undefined); // its streams fail, and "close" follows
      candidate.once("close", () => settle(false));
      // The server's settings show that it speaks HTTP/2; a connection alone may end in a black hole.
      candidate.once("remoteSettings", () => {
        if (closed) candidate.destroy();
        if (!stands(candidate)) return;
        candidate.setLocalWindowSize(windowBytes);
        session = candidate;
        settle(true);
      });
    });
  }

  return {
    isUp(timeoutMs) {
      if (closed) return Promise.resolve(false);
      if (stands(session)) return Promise.resolve(true);
      connecting ??= open(Math.max(1, timeoutMs));
      return connecting;
    },
    call(method, request, options) {
      if (!stands(session)) return Promise.reject(callError(status.UNAVAILABLE, "the connection is gone"));
      return send(session, method, { request, options });
    },
    close() {
      closed = true;
      session?.destroy();
    },
  };
}

/** An address is no name that TLS can announce; the certificate is held to it all the same. */
function socketTo(path: string, { protocol, hostname }: URL, tls: Tls | undefined): Socket {
  if (protocol === "http:") return connectSocket({ path });
  const host = hostname.replace(/^\[|\]$/g, "");
  const name = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ ...tls, path, host, ...name, ALPNProtocols: ["h2"] });
}

interface Outgoing<Request> {
  readonly request: Request;
  readonly options: CallOptions;
}

function send<Request, Response>(
  session: ClientHttp2Session,
  method: Method<Request, Response>,
  { request, options }: Outgoing<Request>,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: method.path,
      "content-type": "application/grpc",
      te: "trailers",
      "grpc-timeout": `${Math.ceil(options.timeoutMs)}m`,
      ...(options.token === undefined ? {} : { token: options.token }),
    });
    const timer = setTimeout(() => {
      stream.close(constants.NGHTTP2_CANCEL);
      reject(callError(status.DEADLINE_EXCEEDED, "no answer in time"));
      dropIfSilent(session);
    }, options.timeoutMs);
    const chunks: Buffer[] = [];
    let outcome: IncomingHttpHeaders = {};
    const learn = (headers: IncomingHttpHeaders): void => {
      if (headers["grpc-status"] !== undefined) outcome = headers;
    };
    stream.on("response", learn); // an error without a message has its outcome here
    stream.on("trailers", learn);
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", reject);
    stream.on("end", () => {
      try {
        resolve(method.deserialize(message(outcome, chunks)));
      } catch (error) {
        reject(error);
      }
    });
    stream.on("close", () => {
      clearTimeout(timer);
      // Every call closes: an error, with its stack, is made for those alone that did not end.
      if (!stream.readableEnded) reject(callError(status.UNAVAILABLE, "the connection was cut"));
    });
    writeMessage(stream, method.serialize(request));
  });
}

/** gRPC's frame: not compressed, the length, the message. */
const frameHeader = 5;

function writeMessage(stream: ClientHttp2Stream, body: Buffer): void {
  const frame = Buffer.allocUnsafe(frameHeader + body.length);
  frame[0] = 0;
  frame.writeUInt32BE(body.length, 1);
  body.copy(frame, frameHeader);
  stream.end(frame);
}

function message(outcome: IncomingHttpHeaders, chunks: readonly Buffer[]): Buffer {
  const code = outcome["grpc-status"];
  if (code === undefined) throw callError(status.UNAVAILABLE, "the answer has no outcome");
  if (code !== "0") throw callError(Number(code), decodeText(String(outcome["grpc-message"] ?? "")));
  const [first] = chunks;
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  if (bytes.length < frameHeader || bytes[0] !== 0 || bytes.readUInt32BE(1) !== bytes.length - frameHeader) {
    throw callError(status.INTERNAL, "the answer is not one whole message");
  }
  return bytes.subarray(frameHeader);
}

function decodeText(percentEncoded: string): string {
  try {
    return decodeURIComponent(percentEncoded);
  } catch {
    return percentEncoded;
  }
}

/** An answer that did not come may mean a connection that is dead without knowing it: a ping tells. */
function dropIfSilent(session: ClientHttp2Session): void {
  if (session.closed || session.destroyed) return;
  const timer = setTimeout(() => session.destroy(), pingMs);
  session.ping(() => clearTimeout(timer));
}

function callError(code: number, details: string): Error {
  return Object.assign(new Error(`${code} ${details}`), { code, details });
}
