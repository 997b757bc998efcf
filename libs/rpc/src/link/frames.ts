import { emptyPayload, type Payload } from "../codecs/codec.js";
import {
  createWireReader,
  fieldSize,
  lengthDelimited,
  MalformedError,
  tag,
  textLength,
  varintSize,
  writeText,
  writeVarint,
} from "../wire.js";

/** `proto/frames.proto` by hand, and the numbers of its enum. */
export const kinds = {
  hello: 1,
  reject: 2,
  request: 3,
  open: 4,
  reply: 5,
  message: 6,
  end: 7,
  error: 8,
  refused: 9,
  cancel: 10,
  credit: 11,
  goaway: 12,
} as const;

export type Kind = (typeof kinds)[keyof typeof kinds];

/** A frame that waits to be written. `state` and `also` change while it waits, never after. */
export interface OutFrame {
  readonly kind: Kind;
  readonly id: number;
  readonly method: string;
  readonly deadlineMs: number;
  readonly credit: number;
  readonly payload: Payload;
  readonly trace: string;
  also: number[] | undefined;
  state: "new" | "queued" | "written" | "withdrawn";
}

type FrameFields = Partial<Pick<OutFrame, "id" | "method" | "deadlineMs" | "credit" | "payload" | "trace">>;

export function outFrame(kind: Kind, fields: FrameFields): OutFrame {
  return {
    kind,
    id: fields.id ?? 0,
    method: fields.method ?? "",
    deadlineMs: fields.deadlineMs ?? 0,
    credit: fields.credit ?? 0,
    payload: fields.payload ?? emptyPayload,
    trace: fields.trace ?? "",
    also: undefined,
    state: "new",
  };
}

/** A frame as it is read. One object serves a whole batch: take its values, never the object. */
export interface InFrame {
  id: number;
  kind: number;
  method: string;
  deadlineMs: number;
  payload: Buffer;
  credit: number;
  also: number[];
  trace: string;
}

const tags = {
  frame: tag(1, lengthDelimited),
  id: tag(1, 0),
  kind: tag(2, 0),
  method: tag(3, lengthDelimited),
  deadlineMs: tag(4, 0),
  payload: tag(6, lengthDelimited),
  credit: tag(7, 0),
  also: tag(8, lengthDelimited),
  trace: tag(9, lengthDelimited),
} as const;

const numberSize = (value: number): number => (value === 0 ? 0 : 1 + varintSize(value));

function alsoSize(also: readonly number[]): number {
  let size = 0;
  for (const id of also) size += varintSize(id);
  return size;
}

function bodySize(frame: OutFrame): number {
  return (
    numberSize(frame.id) +
    2 +
    fieldSize(textLength(frame.method)) +
    numberSize(frame.deadlineMs) +
    fieldSize(frame.payload.size) +
    numberSize(frame.credit) +
    (frame.also === undefined ? 0 : fieldSize(alsoSize(frame.also))) +
    (frame.trace === "" ? 0 : fieldSize(textLength(frame.trace)))
  );
}

/** Bytes of the frame in a batch. */
export function frameSize(frame: OutFrame): number {
  const body = bodySize(frame);
  return 1 + varintSize(body) + body;
}

function writeNumber(target: Buffer, at: number, field: { readonly tag: number; readonly value: number }): number {
  if (field.value === 0) return at;
  target[at++] = field.tag;
  return writeVarint(target, at, field.value);
}

/** Writes `frameSize(frame)` bytes and returns the position after them. */
export function writeFrame(frame: OutFrame, target: Buffer, at: number): number {
  target[at++] = tags.frame;
  at = writeVarint(target, at, bodySize(frame));
  at = writeNumber(target, at, { tag: tags.id, value: frame.id });
  at = writeNumber(target, at, { tag: tags.kind, value: frame.kind });
  at = writeText(target, at, { tag: tags.method, text: frame.method });
  at = writeNumber(target, at, { tag: tags.deadlineMs, value: frame.deadlineMs });
  if (frame.payload.size > 0) {
    target[at++] = tags.payload;
    at = writeVarint(target, at, frame.payload.size);
    frame.payload.write(target, at);
    at += frame.payload.size;
  }
  at = writeNumber(target, at, { tag: tags.credit, value: frame.credit });
  if (frame.also !== undefined) {
    target[at++] = tags.also;
    at = writeVarint(target, at, alsoSize(frame.also));
    for (const id of frame.also) at = writeVarint(target, at, id);
  }
  return writeText(target, at, { tag: tags.trace, text: frame.trace });
}

const nothing: Buffer = Buffer.alloc(0);

/** Hands every frame of a batch to `take`. @throws MalformedError for malformed bytes */
export function readBatch(batch: Buffer, take: (frame: InFrame) => void): void {
  const outer = createWireReader(batch);
  const frame: InFrame = {
    id: 0,
    kind: 0,
    method: "",
    deadlineMs: 0,
    payload: nothing,
    credit: 0,
    also: [],
    trace: "",
  };
  while (outer.at < outer.end) {
    const outerTag = outer.varint();
    if (outerTag !== tags.frame) throw new MalformedError(`field tag ${outerTag} in a batch`);
    const length = outer.length();
    readFrame(batch, { from: outer.at, to: outer.at + length }, frame);
    outer.at += length;
    take(frame);
  }
}

function readFrame(batch: Buffer, { from, to }: { from: number; to: number }, frame: InFrame): void {
  frame.id = 0;
  frame.kind = 0;
  frame.method = "";
  frame.deadlineMs = 0;
  frame.payload = nothing;
  frame.credit = 0;
  frame.trace = "";
  if (frame.also.length > 0) frame.also = [];
  const reader = createWireReader(batch, from, to);
  while (reader.at < to) {
    const fieldTag = reader.varint();
    switch (fieldTag) {
      case tags.id:
        frame.id = reader.varint();
        break;
      case tags.kind:
        frame.kind = reader.varint();
        break;
      case tags.method:
        frame.method = reader.text();
        break;
      case tags.deadlineMs:
        frame.deadlineMs = reader.varint();
        break;
      case tags.payload:
        frame.payload = reader.bytes();
        break;
      case tags.credit:
        frame.credit = reader.varint();
        break;
      case tags.also: {
        const length = reader.length();
        const end = reader.at + length;
        while (reader.at < end) frame.also.push(reader.varint());
        if (reader.at !== end) throw new MalformedError("a list exceeds its field");
        break;
      }
      case tags.trace:
        frame.trace = reader.text();
        break;
      default:
        reader.skip(fieldTag);
    }
  }
}
