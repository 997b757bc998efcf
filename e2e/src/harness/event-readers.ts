import { parseCbor } from "@orch/codec/cbor/parse.js";
import { decodeMessage } from "@orch/codec/protobuf/decode.js";
import { parseProtobuf } from "@orch/codec/protobuf/envelope.js";
import { field, type MessageType, message } from "@orch/schema/descriptor.js";

/** The events of a watch's body, each as the tree `{type, object}`. */
export type EventReader = (chunks: AsyncIterable<Buffer>) => AsyncGenerator<unknown, void, void>;

/** Says where the first of some bytes' frames ends; undefined while it is not all there. */
type EndOfFrame = (bytes: Buffer) => number | undefined;

async function* framesOf(chunks: AsyncIterable<Buffer>, endOf: EndOfFrame): AsyncGenerator<Buffer, void, void> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    pending = Buffer.concat([pending, chunk]);
    for (let end = endOf(pending); end !== undefined; end = endOf(pending)) {
      yield pending.subarray(0, end);
      pending = pending.subarray(end);
    }
  }
  if (pending.length > 0) throw new Error(`the watch was cut within an event: ${pending.toString("hex")}`);
}

const lengthBytes = 4;
const rawObject = message({
  name: "RawExtension",
  fields: () => [field({ name: "raw", number: 1, type: { kind: "bytes" } })],
});
const watchEvent = message({
  name: "WatchEvent",
  fields: () => [
    field({ name: "type", number: 1, type: { kind: "string" } }),
    field({ name: "object", number: 2, type: rawObject }),
  ],
});

/** Frames of a length in four bytes and an event (rules: Media types and headers); their objects are of `type`. */
export function protobufEvents(type: MessageType): EventReader {
  const endOf: EndOfFrame = (bytes) => {
    const end = bytes.length < lengthBytes ? Number.POSITIVE_INFINITY : lengthBytes + bytes.readUInt32BE(0);
    return end <= bytes.length ? end : undefined;
  };
  return async function* (chunks) {
    for await (const frame of framesOf(chunks, endOf)) {
      const event = decodeMessage(watchEvent, frame.subarray(lengthBytes));
      const { raw } = { raw: undefined, ...(typeof event["object"] === "object" ? event["object"] : {}) };
      const object = parseProtobuf(type, Buffer.from(String(raw), "base64"));
      yield { type: event["type"], object: object.ok ? object.value : object };
    }
  };
}

/** A sequence of items, one an event. */
export const cborEvents: EventReader = async function* (chunks) {
  for await (const item of framesOf(chunks, (bytes) => endOfItem(bytes, 0))) {
    const read = parseCbor(item);
    yield read.ok ? read.value : read;
  }
};

/** Where the item that begins at `at` ends (RFC 8949, section 3; definite lengths); undefined while it is not all there. */
function endOfItem(bytes: Buffer, at: number): number | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  const [major, info] = [first >> 5, first & 31];
  const argumentSize = info < 24 ? 0 : 2 ** (info - 24);
  const body = at + 1 + argumentSize;
  if (body > bytes.length) return undefined;
  const argument = argumentSize === 0 ? info : Number(BigInt(`0x${bytes.toString("hex", at + 1, body)}`));
  switch (major) {
    case 2:
    case 3:
      return body + argument <= bytes.length ? body + argument : undefined;
    case 4:
      return endOfItems(bytes, body, argument);
    case 5:
      return endOfItems(bytes, body, 2 * argument);
    case 6:
      return endOfItem(bytes, body);
    default:
      return body;
  }
}

function endOfItems(bytes: Buffer, from: number, count: number): number | undefined {
  let at: number | undefined = from;
  for (let i = 0; i < count && at !== undefined; i++) at = endOfItem(bytes, at);
  return at;
}
