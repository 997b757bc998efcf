import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createGatheredBytes } from "./gathered-bytes.js";

test("parts come out joined, wherever a text was cut", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 9000 })), (arrays) => {
      const gathered = createGatheredBytes();
      for (const array of arrays) gathered.add(Buffer.from(array));
      assert.deepEqual(gathered.bytes(), Buffer.concat(arrays));
      assert.equal(gathered.length, gathered.bytes().length);
    }),
  );
});

test("a part that is alone is not copied", () => {
  const part = Buffer.from("abc");
  const gathered = createGatheredBytes();
  gathered.add(part);
  assert.equal(gathered.bytes().buffer, part.buffer);
});

test("many small parts are held in little more than their bytes, and none of them is kept", () => {
  const gathered = createGatheredBytes();
  const part = Buffer.alloc(1);
  gathered.add(Buffer.from("-"));
  for (let i = 0; i < 100_000; i++) {
    part[0] = 0x61 + (i % 26);
    gathered.add(part);
  }
  const bytes = gathered.bytes();
  assert.equal(bytes.toString("latin1", 0, 29), "-abcdefghijklmnopqrstuvwxyzab");
  assert.ok(bytes.buffer.byteLength <= 2 * bytes.length, `${bytes.buffer.byteLength}`);
});

test("a first part is not written to, though its memory has room", () => {
  const memory = Buffer.from("abcdef");
  const gathered = createGatheredBytes();
  gathered.add(memory.subarray(0, 3));
  gathered.add(Buffer.from("x"));
  assert.equal(gathered.bytes().toString(), "abcx");
  assert.equal(memory.toString(), "abcdef");
});
