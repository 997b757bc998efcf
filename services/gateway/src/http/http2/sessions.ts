import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import { quietPatience } from "../connections.js";
import type { Serve } from "../exchange.js";
import type { PeerOf } from "../peer.js";
import { givenId } from "../request.js";
import { freshStall, isStalled, type Stall } from "../stall.js";
import type { AtTurnEnd } from "../turn.js";
import { Http2Request } from "./request.js";
import { Http2Response } from "./response.js";

export interface Http2Limits {
  /** Streams that a connection may have open at once; each watch is one. */
  readonly maxStreams: number;
  readonly maxHeaderBytes: number;
  /** How long a connection may live without streams, whatever other frames its client sends. */
  readonly idleMs: number;
  /** How long the body of a request may take to arrive. */
  readonly requestTimeoutMs: number;
}

/** The HTTP/2 connections of a server. */
export interface Http2Sessions {
  opened(socket: TLSSocket): void;
  /** Ends streams whose response has ended, if the client took none of it in the last few looks or still sends its request. */
  dropStalled(): void;
  /** Tells all clients to send their next request elsewhere; requests under way are answered. */
  leave(): void;
  /** Ends connections that had no streams for the last few looks; called while the server drains. */
  dropQuiet(): void;
  /** Whether every stream has begun an answer, and every connection has a stream. */
  readonly settled: boolean;
  /** Takes no new streams; a connection ends with its last one. */
  close(): void;
  /** Ends all that are left. */
  destroy(): void;
}

/** Bytes that a client may send on a stream, and on a connection, before it must wait for a window update. */
const streamWindow = 256 * 1024;
const connectionWindow = 1024 * 1024;
/** Memory of a connection for data that waits: an object or two for each stream that its client does not read. */
const maxSessionMegabytes = 64;
/**
 * RFC 9113, 6.8: a client that is sent this number as the last stream opens no more streams, and those that it opened before
 * the frame arrived are still answered.
 */
const beyondAllStreams = 2 ** 31 - 1;
/** Frames that break the protocol, and streams beyond the limit, before the connection ends. */
const maxInvalidFrames = 100;
const maxRejectedStreams = 100;

interface Session {
  readonly session: ServerHttp2Session;
  readonly streams: Map<ServerHttp2Stream, Stall>;
  /** Ends the connection if it has no streams by then. */
  readonly idle: NodeJS.Timeout;
  /** Looks in a row that found no streams. */
  quietLooks: number;
}

export interface Http2Deps {
  readonly serve: Serve;
  readonly newId: () => string;
  readonly peerOf: PeerOf;
  readonly atTurnEnd: AtTurnEnd;
}

export function createHttp2Sessions(
  { maxStreams, maxHeaderBytes, idleMs, requestTimeoutMs }: Http2Limits,
  { serve, newId, peerOf, atTurnEnd }: Http2Deps,
): Http2Sessions {
  const sessions = new Set<Session>();
  let leaving = false;

  const opened = (on: Session, stream: ServerHttp2Stream): void => {
    const { streams, idle } = on;
    streams.set(stream, freshStall());
    on.quietLooks = 0;
    // A stream that its client cancels reports an error and closes; an unhandled error would end the process.
    stream.on("error", () => {});
    const late = stream.endAfterHeaders ? undefined : setTimeout(() => endLate(stream), requestTimeoutMs);
    stream.once("close", () => {
      clearTimeout(late);
      streams.delete(stream);
      if (streams.size === 0) idle.refresh();
    });
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
      const peer = peerOf(socket);
      const streams: Session["streams"] = new Map();
      // Node's own timeout would let pings, or a head that never ends, keep the connection open for ever.
      const idle = setTimeout(() => {
        if (streams.size === 0) session.close();
      }, idleMs);
      const open: Session = { session, streams, idle, quietLooks: 0 };
      sessions.add(open);
      session.on("error", () => {});
      session.once("close", () => {
        clearTimeout(idle);
        sessions.delete(open);
      });
      // The library limits streams that are opened only to be cancelled (CVE-2023-44487).
      session.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
        opened(open, stream);
        if (leaving && streams.size === 1) sayGoodbye(session);
        const id = givenId(headers) ?? newId();
        const request = new Http2Request(stream, { id, headers, raw, peer });
        serve({ request, response: new Http2Response(stream, { id, method: request.method, atTurnEnd }) });
      });
    },
    dropStalled() {
      for (const { streams } of sessions) {
        for (const [stream, stall] of streams) {
          if (!stream.writableEnded) continue;
          if (!isStalled(stall, stream.writableLength)) continue;
          // If the whole answer was sent, the rest of the request is of no use and nobody reads it.
          stream.close(stream.writableFinished ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_CANCEL);
        }
      }
    },
    leave() {
      leaving = true;
      for (const { session } of sessions) sayGoodbye(session);
    },
    dropQuiet() {
      for (const open of sessions) {
        if (open.streams.size > 0) open.quietLooks = 0;
        else if (++open.quietLooks === quietPatience) open.session.close();
      }
    },
    get settled() {
      for (const { streams } of sessions) {
        if (streams.size === 0) return false;
        for (const stream of streams.keys()) if (!stream.headersSent) return false;
      }
      return true;
    },
    close() {
      for (const { session } of sessions) session.close();
    },
    destroy() {
      for (const { session } of sessions) session.destroy();
    },
  };
}

/** Ends a stream whose request has not come whole. */
function endLate(stream: ServerHttp2Stream): void {
  if (stream.readableEnded || stream.state.state === constants.NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE) return;
  stream.close(constants.NGHTTP2_CANCEL);
}

/** Its client opens no further streams; those that are under way go on. */
function sayGoodbye(session: ServerHttp2Session): void {
  // A session that broke a moment ago is still in the set of open ones.
  if (!session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, beyondAllStreams);
}
