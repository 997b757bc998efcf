import type { Fixture } from "../conformance/conformance-fixture.js";
import { type Transformer, transformed } from "../transformed.js";

export const identity: Transformer = {
  seal: (value) => value,
  open: (stored) => ({ type: "value", value: stored }),
};

const mark = Buffer.from("xor:");

/** Stored bytes that are neither the value's nor as many, and that not everything can be opened as. */
export const xor: Transformer = {
  seal: (value) => Buffer.concat([mark, turned(value)]),
  open(stored) {
    if (!stored.subarray(0, mark.length).equals(mark)) return { type: "damaged", why: "it has no mark" };
    return { type: "value", value: turned(stored.subarray(mark.length)) };
  },
};

/** Stored bytes begin with a mark; those that have another one than that of now are stale. */
export function marking(mark: () => string): Transformer {
  return {
    seal: (value) => Buffer.concat([Buffer.from(`${mark()}:`), value]),
    open(stored) {
      const end = stored.indexOf(":");
      return { type: "value", value: stored.subarray(end + 1), stale: stored.toString("utf8", 0, end) !== mark() };
    },
  };
}

const turned = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ 0x5a));

export function transformedFixture(fixture: Fixture, transformer: Transformer): Fixture {
  const { store, reopen } = fixture;
  return {
    ...fixture,
    store: transformed(store, transformer),
    ...(reopen === undefined ? {} : { reopen: async () => transformed(await reopen(), transformer) }),
  };
}

/** The same, which answers a moment later: its keys must be fetched. */
export function late({ seal, open }: Transformer): Transformer {
  const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    seal: async (value, key) => pause().then(() => seal(value, key)),
    open: async (stored, key) => pause().then(() => open(stored, key)),
  };
}
