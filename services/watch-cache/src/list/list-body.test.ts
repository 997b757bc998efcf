import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ListBody, listMetadata, sizedChunks } from "./list-body.js";

const empty: ListBody = { resourceVersion: 7, items: [], continueToken: "", remainingItemCount: undefined };

const rows: readonly (readonly [what: string, list: Partial<ListBody>, metadata: object])[] = [
  ["a whole list", {}, { resourceVersion: "7" }],
  [
    "a page that tells what remains",
    { continueToken: "t", remainingItemCount: 2 },
    { resourceVersion: "7", continue: "t", remainingItemCount: 2 },
  ],
  ["a page of a selected list", { continueToken: "t" }, { resourceVersion: "7", continue: "t" }],
];
for (const [what, list, metadata] of rows) {
  test(`${what} has its metadata`, () => assert.deepEqual(listMetadata({ ...empty, ...list }), metadata));
}

const kib = 1024;
const chunkBytes = 128 * kib;

function chunked(head: Buffer, parts: readonly Buffer[], tail: Buffer): readonly Buffer[] {
  const part = (i: number): Buffer => parts[i] ?? Buffer.alloc(0);
  const { bytes, chunks } = sizedChunks({
    head,
    tail,
    count: parts.length,
    size: (i) => part(i).length,
    copy: (i, into, at) => at + part(i).copy(into, at),
  });
  const made = [...chunks];
  assert.equal(
    bytes,
    made.reduce((sum, { length }) => sum + length, 0),
  );
  return made;
}

test("chunks are the parts in order, none much larger than a chunk but for a part that is", () => {
  const size = fc.oneof(
    fc.nat(300),
    fc.constantFrom(0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1),
    fc.nat(300 * kib),
  );
  fc.assert(
    fc.property(size, fc.array(size, { maxLength: 12 }), size, (headSize, sizes, tailSize) => {
      const parts = sizes.map((bytes, i) => Buffer.alloc(bytes, i + 1));
      const head = Buffer.alloc(headSize, 0xfe);
      const tail = Buffer.alloc(tailSize, 0xff);
      const chunks = chunked(head, parts, tail);
      assert.ok(Buffer.concat(chunks).equals(Buffer.concat([head, ...parts, tail])));
      for (const [i, { length }] of chunks.entries()) {
        const allowed = Math.max(chunkBytes, headSize, ...sizes) + (i === chunks.length - 1 ? tailSize : 0);
        assert.ok(length <= allowed, `chunk ${i} has ${length} bytes`);
      }
    }),
    { numRuns: 60 },
  );
});

test("a list without items is one chunk, a long one comes in full chunks", () => {
  assert.deepEqual(chunked(Buffer.from("["), [], Buffer.from("]")).map(String), ["[]"]);
  const chunks = chunked(Buffer.from("["), Array<Buffer>(1000).fill(Buffer.alloc(kib)), Buffer.from("]"));
  assert.equal(chunks.length, 8);
  assert.ok(chunks.slice(0, -1).every(({ length }) => length > chunkBytes - 2 * kib));
});

test("chunks are made one at a time, as they are taken", () => {
  let copied = 0;
  const part = Buffer.alloc(100 * kib);
  const { chunks } = sizedChunks({
    head: Buffer.from("["),
    tail: Buffer.from("]"),
    count: 10,
    size: () => part.length,
    copy(_i, into, at) {
      copied += 1;
      return at + part.copy(into, at);
    },
  });
  assert.equal(copied, 0);
  chunks.next();
  chunks.next();
  assert.equal(copied, 2);
});
