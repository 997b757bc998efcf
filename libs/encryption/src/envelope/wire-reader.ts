/** Reads the wire format of protocol buffers; what goes past the end throws. */
export interface WireReader {
  readonly done: boolean;
  varint(): number;
  /** A view. */
  bytes(): Buffer;
  /** Passes over the value of a field that nobody knows. */
  skip(tag: number): void;
}

class WireFault extends Error {}

export function createWireReader(source: Buffer): WireReader {
  let at = 0;
  const forward = (count: number): number => {
    const begin = at;
    if (count > source.length - at) throw new WireFault("unexpected EOF");
    at += count;
    return begin;
  };
  const varint = (): number => {
    let value = 0;
    for (let i = 0; i < 10; i++) {
      const byte = source[forward(1)] ?? 0;
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw new WireFault("proto: invalid varint");
  };
  const bytes = (): Buffer => {
    const length = varint();
    const begin = forward(length);
    return source.subarray(begin, begin + length);
  };
  return {
    get done() {
      return at >= source.length;
    },
    varint,
    bytes,
    skip(tag) {
      const type = tag & 7;
      if (tag < 8) throw new WireFault("proto: invalid field number");
      if (type === 0) varint();
      else if (type === 1) forward(8);
      else if (type === 2) bytes();
      else if (type === 5) forward(4);
      else throw new WireFault("proto: cannot parse reserved wire type");
    },
  };
}

/** What a reader threw, as text. */
export function readsPast(thrown: unknown): string {
  if (thrown instanceof WireFault) return thrown.message;
  throw thrown;
}
