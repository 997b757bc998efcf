import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import type { ConnectionOptions } from "node:tls";
import type { HeaderValues } from "../credentials/impersonation.js";
import type { StreamBody } from "./transport.js";

export interface StreamRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: HeaderValues;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  /** Milliseconds without a byte after which the stream is given up. */
  readonly idleMs: number;
}

export interface Http2Streams {
  /** Settles when the answer has begun; rejects with the connection's failure or the signal's reason. */
  open(request: StreamRequest): Promise<{ readonly status: number; readonly body: StreamBody }>;
  /** Those that are open go on to their end, then their connections are closed; settles when the last one is. */
  retire(): Promise<void>;
  close(): void;
}

interface Connection {
  readonly session: ClientHttp2Session;
  streams: number;
}

/** Below what servers take on one connection (`--http2-max-streams-per-connection` is 250 by default). */
const streamsPerConnection = 200;
/** Room for a full window (64 KiB) of each stream, so that one that is not read does not stop the others. */
const connectionWindow = 16 * 1024 * 1024;

/** Long answers, watches above all, as streams of few HTTP/2 connections, which are opened when they are needed. */
export function createHttp2Streams(server: string, tls: ConnectionOptions): Http2Streams {
  /** Those that take new streams. */
  const connections = new Set<Connection>();
  const sessions = new Set<ClientHttp2Session>();

  const connected = (): Connection => {
    for (const connection of connections) if (connection.streams < streamsPerConnection) return connection;
    const session = connect(server, tls);
    const connection: Connection = { session, streams: 0 };
    const forget = (): void => void connections.delete(connection);
    session.once("connect", () => session.setLocalWindowSize(connectionWindow));
    // Streams that run go on until the server ends them; new ones take a new connection.
    session.once("goaway", forget);
    session.once("close", () => {
      forget();
      sessions.delete(session);
    });
    // Each of its streams fails with it and tells its own reader.
    session.on("error", forget);
    connections.add(connection);
    sessions.add(session);
    return connection;
  };

  return {
    open(request) {
      const { signal, body } = request;
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      const connection = connected();
      const stream = connection.session.request(
        { ":method": request.method, ":path": request.path, ...request.headers },
        { endStream: body === undefined, ...(signal === undefined ? {} : { signal }) },
      );
      connection.streams++;
      stream.once("close", () => {
        connection.streams--;
        if (connection.streams === 0 && !connections.has(connection)) connection.session.close();
      });
      stream.setTimeout(request.idleMs, () => stream.destroy(new Error(`no byte within ${request.idleMs} ms`)));
      if (body !== undefined) stream.end(body);
      return begun(stream);
    },
    async retire() {
      const closed = [...sessions].map((session) => new Promise<void>((done) => session.once("close", () => done())));
      for (const { session, streams } of connections) if (streams === 0) session.close();
      connections.clear();
      await Promise.all(closed);
    },
    close() {
      connections.clear();
      for (const session of sessions) session.destroy(new Error("the client is closed"));
    },
  };
}

function begun(stream: ClientHttp2Stream): Promise<{ readonly status: number; readonly body: StreamBody }> {
  return new Promise((resolve, reject) => {
    stream.once("error", reject);
    stream.once("close", () => reject(new Error("the connection was closed before the answer")));
    stream.once("response", (headers) => {
      // From here on failures reach whoever reads; one that nobody reads any more harms nobody.
      stream.on("error", () => {});
      resolve({
        status: headers[":status"] ?? 0,
        body: {
          [Symbol.asyncIterator]: () => whole(stream),
          destroy: () => stream.close(constants.NGHTTP2_CANCEL),
        },
      });
    });
  });
}

/** Node ends a stream whose connection broke as if it had been answered to the end: that is told apart here. */
async function* whole(stream: ClientHttp2Stream): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of stream) yield chunk;
  if (stream.aborted || (stream.rstCode ?? 0) !== constants.NGHTTP2_NO_ERROR) {
    throw new Error("the connection was closed within the answer");
  }
}
