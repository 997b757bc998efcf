import type { MessageCodec } from "../rpc.js";
import { asBuffer, createWireReader, fieldSize, lengthDelimited, tag, writeBytes } from "../wire.js";

/** A codec that writes its message in place, so that a payload is copied once on its way into a batch. */
export interface SizedCodec<T> extends MessageCodec<T> {
  /** Bytes of the encoded message. */
  size(value: T): number;
  /** Writes exactly `size(value)` bytes at `at`. */
  write(value: T, target: Buffer, at: number): void;
  /** Called after the message was written and is not needed any more. */
  written?(value: T): void;
}

/** A message whose bytes are written when their place is known. */
export interface Payload {
  readonly size: number;
  write(target: Buffer, at: number): void;
  /** After its last {@link write}. */
  readonly written?: (() => void) | undefined;
}

export const emptyPayload: Payload = { size: 0, write: () => {} };

export function payloadOf<T>(codec: MessageCodec<T>, value: T): Payload {
  if (isSized(codec)) {
    const { written } = codec;
    return {
      size: codec.size(value),
      write: (target, at) => codec.write(value, target, at),
      written: written === undefined ? undefined : () => written(value),
    };
  }
  return rawPayload(codec.encode(value));
}

export function rawPayload(bytes: Uint8Array): Payload {
  return { size: bytes.length, write: (target, at) => target.set(bytes, at) };
}

export function isSized<T>(codec: MessageCodec<T>): codec is SizedCodec<T> {
  return "write" in codec && "size" in codec;
}

/** Completes `size` and `write` to a whole codec. */
export function sizedCodec<T>(parts: Omit<SizedCodec<T>, "encode">): SizedCodec<T> {
  return {
    ...parts,
    encode: (value) => {
      const target = Buffer.allocUnsafe(parts.size(value));
      parts.write(value, target, 0);
      return target;
    },
  };
}

/** What pbjs generates for a message. */
interface GeneratedMessage<Shape> {
  encode(message: Shape): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Shape;
}

/** A codec over generated code; `from` and `to` turn its classes into plain values and back. */
export function generatedCodec<T, Shape>(
  type: GeneratedMessage<Shape>,
  convert: { readonly to: (value: T) => Shape; readonly from: (message: Shape) => T },
): MessageCodec<T> {
  return {
    encode: (value) => type.encode(convert.to(value)).finish(),
    decode: (bytes) => convert.from(type.decode(bytes)),
  };
}

const bodyTag = tag(1, lengthDelimited);
const nothing: Buffer = Buffer.alloc(0);

/** A message with the one field `bytes body = 1`. */
export const bodyCodec: SizedCodec<{ readonly body: Buffer }> = sizedCodec({
  size: (value) => fieldSize(value.body.length),
  write: (value, target, at) => {
    writeBytes(target, at, { tag: bodyTag, bytes: value.body });
  },
  decode: (bytes) => {
    const reader = createWireReader(asBuffer(bytes));
    let body: Buffer = nothing;
    while (reader.at < reader.end) {
      const fieldTag = reader.varint();
      if (fieldTag === bodyTag) body = reader.bytes();
      else reader.skip(fieldTag);
    }
    return { body };
  },
});
