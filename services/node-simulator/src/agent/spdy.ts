import type { Duplex } from "node:stream";
import { createInflate } from "node:zlib";
import { spdyDictionary } from "./spdy-dictionary.js";

/** What a client does on a connection of SPDY/3.1, as far as streams of bytes need it. */
export interface SpdyHandlers {
  opened(stream: number, headers: ReadonlyMap<string, string>): void;
  /** `last`: nothing follows. */
  data(stream: number, part: Buffer, last: boolean): void;
}

export interface SpdyConnection {
  send(stream: number, data: string | Buffer, last: boolean): void;
}

const types = { opened: 1, reply: 2, ping: 6 } as const;
const finished = 1;
const headBytes = 8;
/** Of a frame: what clients of port-forward send is far less. */
const mostBytes = 1 << 20;
const mostHeaderBytes = 16 * 1024;

/**
 * The compressed headers of an answer that has none: a stored block, and an empty one at which readers give back what they
 * have. The first stands behind the head of the stream.
 */
const noHeaders = Buffer.from([0x00, 0x04, 0x00, 0xfb, 0xff, 0, 0, 0, 0, 0x00, 0x00, 0x00, 0xff, 0xff]);
const streamHead = Buffer.from([0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2]);

/** Speaks SPDY as a server on a connection that was upgraded; one that breaks its rules is ended. */
export function serveSpdy(connection: Duplex, head: Buffer, handlers: SpdyHandlers): SpdyConnection {
  const inflated = headerReader();
  let waiting: Buffer = Buffer.alloc(0);
  let isFirst = true;
  let reading = Promise.resolve();

  const control = (type: number, payload: Buffer): void => {
    connection.write(Buffer.concat([framed(0x8003_0000 + type, 0, payload.length), payload]));
  };
  const accept = (stream: Buffer): void => {
    control(types.reply, Buffer.concat([stream, ...(isFirst ? [streamHead] : []), noHeaders]));
    isFirst = false;
  };
  const take = async (frame: Buffer): Promise<void> => {
    const first = frame.readUInt32BE(0);
    const last = ((frame[4] ?? 0) & finished) !== 0;
    const payload = frame.subarray(headBytes);
    if (first < 0x8000_0000) return handlers.data(first, payload, last);
    const type = first & 0xffff;
    if (type === types.ping) control(types.ping, payload);
    if (type !== types.opened || payload.length < 10) return;
    const headers = await inflated(payload.subarray(10));
    accept(payload.subarray(0, 4));
    handlers.opened(payload.readUInt32BE(0), headers);
  };
  const read = (part: Buffer): void => {
    waiting = Buffer.concat([waiting, part]);
    while (waiting.length >= headBytes) {
      const size = headBytes + (waiting.readUInt32BE(4) & 0xff_ffff);
      if (size > mostBytes) return void connection.destroy();
      if (waiting.length < size) return;
      const frame = waiting.subarray(0, size);
      waiting = waiting.subarray(size);
      // In their order: the headers of each are compressed by those before.
      reading = reading.then(() => take(frame)).catch(() => void connection.destroy());
    }
  };
  connection.on("data", read);
  if (head.length > 0) read(head);
  return {
    send(stream, data, last) {
      const bytes = Buffer.from(data);
      connection.write(Buffer.concat([framed(stream, last ? finished : 0, bytes.length), bytes]));
    },
  };
}

function framed(first: number, flags: number, length: number): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(first >>> 0, 0);
  head.writeUInt32BE(((flags << 24) | length) >>> 0, 4);
  return head;
}

/** Reads blocks of headers, each compressed by those before. Rejects for what is none. */
function headerReader(): (block: Buffer) => Promise<ReadonlyMap<string, string>> {
  const inflate = createInflate({ dictionary: spdyDictionary() });
  inflate.on("error", () => {});
  return async (block) => {
    if (block.length > mostHeaderBytes) throw new Error("headers too large");
    await new Promise<void>((resolve, reject) => {
      inflate.once("error", reject);
      inflate.write(block, (error) => {
        inflate.off("error", reject);
        if (error) reject(error);
        else resolve();
      });
    });
    const text: Buffer | null = inflate.read();
    if (text === null) throw new Error("no headers");
    return headersIn(text);
  };
}

/** @throws RangeError for a block that ends early */
function headersIn(text: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 4;
  const next = (): string => {
    const length = text.readUInt32BE(at);
    at += 4 + length;
    return text.toString("utf8", at - length, at);
  };
  for (let left = text.readUInt32BE(0); left > 0; left--) {
    const name = next();
    headers.set(name, next());
  }
  return headers;
}
