import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import type { Socket } from "node:net";

/** One stream of gRPC messages each way, on a connection of its own. */
export interface GrpcStream {
  /** Calls back when there is room for more. */
  send(message: Uint8Array, sent?: (error?: Error | null) => void): void;
  /** No more messages are told until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends the stream and its connection once what was sent is on its way. */
  close(): void;
}

export interface GrpcStreamEvents {
  message(bytes: Buffer): void;
  /** The last event: why there is no more. */
  closed(why: Error): void;
}

/** gRPC's frame: not compressed, the length, the message. */
const frameHeader = 5;
/** As much as gRPC takes by default, and room beside it. */
const maxMessageBytes = 8 << 20;
const windowBytes = 1 << 20;
const closeMs = 1_000;

/** Straight on node:http2: one call needs no channel, no balancing and no resolving of names. */
export function openGrpcStream(socket: Socket, path: string, events: GrpcStreamEvents): GrpcStream {
  const session: ClientHttp2Session = connect("http://localhost", {
    createConnection: () => socket,
    settings: { initialWindowSize: windowBytes, enablePush: false },
  });
  const stream: ClientHttp2Stream = session.request({
    [constants.HTTP2_HEADER_METHOD]: "POST",
    [constants.HTTP2_HEADER_PATH]: path,
    "content-type": "application/grpc",
    te: "trailers",
  });
  let outcome: Error | undefined;
  let told = false;
  const tell = (why: Error): void => {
    if (told) return;
    told = true;
    session.destroy();
    events.closed(outcome ?? why);
  };
  const learn = (headers: Readonly<Record<string, unknown>>): void => {
    const code = headers["grpc-status"];
    const status = headers[":status"];
    if (code !== undefined && code !== "0")
      outcome = new Error(`the proxy ended the tunnel: ${String(headers["grpc-message"] ?? code)}`);
    else if (status !== undefined && status !== 200) outcome = new Error(`the proxy answered ${String(status)}`);
  };
  const frames = createFrames(events.message, tell);
  const broken = (): Error => Object.assign(new Error("the tunnel was cut"), { code: "ECONNRESET" });
  stream.on("response", learn);
  stream.on("trailers", learn);
  stream.on("data", (chunk: Buffer) => !told && frames(chunk));
  stream.on("error", tell);
  // gRPC's server has the last word: a stream is over once its side is.
  stream.on("end", () => stream.close());
  stream.on("close", () => tell(broken()));
  session.on("error", tell);
  session.on("close", () => tell(broken()));
  return {
    send(message, sent) {
      if (told || stream.destroyed) {
        sent?.(broken());
        return;
      }
      const frame = Buffer.allocUnsafe(frameHeader + message.length);
      frame[0] = 0;
      frame.writeUInt32BE(message.length, 1);
      frame.set(message, frameHeader);
      stream.write(frame, sent);
    },
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    close() {
      if (told) return;
      stream.end();
      stream.resume();
      // The proxy ends its side too; one that does not is left.
      setTimeout(() => tell(broken()), closeMs).unref();
    },
  };
}

/** Cuts a stream of bytes into messages. */
function createFrames(message: (bytes: Buffer) => void, refuse: (why: Error) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let length = 0;
  /** Of the frame that begins the bytes which are there. */
  let wanted = frameHeader;
  return (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    while (length >= wanted) {
      const [first] = chunks;
      const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length);
      const size = bytes.readUInt32BE(1);
      if (bytes[0] !== 0 || size > maxMessageBytes) {
        refuse(new Error("the proxy sent what is no message of its protocol"));
        return;
      }
      chunks = [bytes];
      wanted = frameHeader + size;
      if (length < wanted) return;
      message(bytes.subarray(frameHeader, wanted));
      const rest = bytes.subarray(wanted);
      chunks = rest.length === 0 ? [] : [rest];
      length = rest.length;
      wanted = frameHeader;
    }
  };
}
