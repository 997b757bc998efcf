import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createLocalBody } from "./body.js";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

test("a reader that is always a part behind gets every part, in order, and keeps none that it has read", async () => {
  const { stream, body } = createLocalBody({ ended: () => {}, left: () => {} });
  const count = 2_000;
  const held: WeakRef<Buffer>[] = [];
  const write = (i: number): void => {
    const part = Buffer.allocUnsafeSlow(8);
    part.writeUInt32LE(i);
    held.push(new WeakRef(part));
    stream.write(part);
  };
  write(0);
  write(1);
  let next = 0;
  let alive = 0;
  for await (const part of body) {
    assert.equal(part.readUInt32LE(), next++);
    if (next + 1 < count) write(next + 1);
    if (next === count - 1) {
      // What was looked at in a turn stays until its end.
      await nextTurn();
      collect();
      alive = held.filter((each) => each.deref() !== undefined).length;
      stream.end();
    }
  }
  assert.equal(next, count);
  assert.ok(alive < count / 4, `${alive} parts are kept`);
});
