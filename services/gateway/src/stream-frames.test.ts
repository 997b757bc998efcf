import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cutterOf } from "./stream-frames.js";

function lengthFramed(event: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

const line = fc.string().map((text) => Buffer.from(`${JSON.stringify(text)}\n`));
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const streams = [
  ["application/json", line, (event: Buffer) => event],
  ["application/vnd.orch.protobuf;stream=watch", bytes, lengthFramed],
] as const;

for (const [contentType, event, framed] of streams) {
  test(`events of ${contentType} are told apart wherever the chunks begin`, () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), fc.array(fc.nat(2000), { maxLength: 8 }), (events, cuts) => {
        const whole = Buffer.concat(events.map((one) => framed(one)));
        const cutFrames = cutterOf(contentType);
        const frames: Buffer[] = [];
        let at = 0;
        for (const end of [...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length]) {
          const chunk = Buffer.from(whole.subarray(at, end));
          frames.push(...cutFrames(chunk).map((frame) => Buffer.from(frame)));
          // A chunk's memory is used again.
          chunk.fill(0);
          at = end;
        }
        assert.deepEqual(frames, [...events]);
      }),
    );
  });
}

test("a CBOR sequence goes as it comes", () => {
  const cutFrames = cutterOf("application/cbor-seq");
  assert.deepEqual(cutFrames(Buffer.from([1, 2])), [Buffer.from([1, 2])]);
  assert.deepEqual(cutFrames(Buffer.alloc(0)), []);
});
