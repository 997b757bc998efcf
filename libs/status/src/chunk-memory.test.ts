import assert from "node:assert/strict";
import { test } from "node:test";
import { createReusedMemory } from "./chunk-memory.js";

const memory = () => createReusedMemory({ pieceBytes: 100, maxBytes: 250 });

test("memory is used again once it was given back, and not before", () => {
  const { take, giveBack } = memory();
  const first = take(80);
  const second = take(90);
  assert.deepEqual([first.length, second.length], [80, 90]);
  assert.notEqual(first.buffer, second.buffer);
  giveBack(first);
  const third = take(100);
  assert.equal(third.buffer, first.buffer);
  assert.equal(third.length, 100);
  assert.notEqual(take(100).buffer, first.buffer);
});

test("no more is kept than may be, and nothing that is larger than a piece", () => {
  const { take, giveBack } = memory();
  const large = take(101);
  giveBack(large);
  const pieces = [take(1), take(1), take(1)];
  for (const piece of pieces) giveBack(piece);
  const again = [take(1), take(1), take(1)].map(({ buffer }) => buffer);
  const known = pieces.map(({ buffer }) => buffer);
  assert.deepEqual(
    again.map((buffer) => known.includes(buffer)),
    [true, true, false],
  );
});
