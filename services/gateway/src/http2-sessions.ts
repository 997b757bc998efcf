import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Exchange, ExchangeContext } from "./exchange.js";
import { createHttp2Exchange } from "./http2-exchange.js";
import { freshStall, isStalled, type Stall } from "./stall.js";

export interface Http2Limits {
  /** Streams that a connection may have open at once; each watch is one. */
  readonly maxStreams: number;
  readonly maxHeaderBytes: number;
  /** A connection without streams ends after so long. */
  readonly idleMs: number;
}

/** The HTTP/2 connections of a server. */
export interface Http2Sessions {
  opened(socket: TLSSocket): void;
  /** Ends streams whose clients took nothing of an ended response since the last few looks. */
  dropStalled(): void;
  /** Tells all clients to go elsewhere; a connection ends with its last stream. */
  drain(): void;
  /** Ends all that are left. */
  destroy(): void;
}

/** Bytes that a client may send on a stream and on a connection before it hears from us. */
const streamWindow = 256 * 1024;
const connectionWindow = 1024 * 1024;
/** What may wait for the streams of a connection, an object or two for each that its client does not read. */
const maxSessionMegabytes = 64;
/** Frames that break the protocol, and streams beyond the limit, before the connection ends. */
const maxInvalidFrames = 100;
const maxRejectedStreams = 100;

interface Session {
  readonly session: ServerHttp2Session;
  readonly streams: Map<ServerHttp2Stream, Stall>;
}

export function createHttp2Sessions(
  { maxStreams, maxHeaderBytes, idleMs }: Http2Limits,
  serve: (exchange: Exchange) => void,
  context: () => ExchangeContext,
): Http2Sessions {
  const sessions = new Set<Session>();

  const opened = (streams: Session["streams"], stream: ServerHttp2Stream): void => {
    streams.set(stream, freshStall());
    // A stream that its client takes back says so by closing; nothing here may end the process.
    stream.on("error", () => {});
    stream.once("close", () => streams.delete(stream));
  };

  return {
    opened(socket) {
      const session = performServerHandshake(socket, {
        maxSessionMemory: maxSessionMegabytes,
        maxSessionInvalidFrames: maxInvalidFrames,
        maxSessionRejectedStreams: maxRejectedStreams,
        settings: {
          maxConcurrentStreams: maxStreams,
          maxHeaderListSize: maxHeaderBytes,
          initialWindowSize: streamWindow,
        },
      });
      session.setLocalWindowSize(connectionWindow);
      const streams: Session["streams"] = new Map();
      const open: Session = { session, streams };
      sessions.add(open);
      session.on("error", () => {});
      session.once("close", () => sessions.delete(open));
      session.setTimeout(idleMs, () => {
        if (streams.size === 0) session.close();
      });
      // Streams that are opened only to be taken back are limited by the library (CVE-2023-44487).
      session.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
        opened(streams, stream);
        serve(createHttp2Exchange(stream, { ...context(), headers, raw, socket }));
      });
    },
    dropStalled() {
      for (const { streams } of sessions) {
        for (const [stream, stall] of streams) {
          if (!stream.writableEnded || stream.writableFinished) continue;
          if (isStalled(stall, stream.writableLength)) stream.close(constants.NGHTTP2_CANCEL);
        }
      }
    },
    drain() {
      for (const { session } of sessions) session.close();
    },
    destroy() {
      for (const { session } of sessions) session.destroy();
    },
  };
}
