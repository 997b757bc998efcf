import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { rpc } from "../../generated/frames.js";
import { rawPayload } from "../codecs/codec.js";
import { MalformedError } from "../wire.js";
import { frameSize, type InFrame, kinds, outFrame, readBatch, writeFrame } from "./frames.js";

const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
const text = fc.oneof(fc.string(), fc.string({ unit: "binary", maxLength: 60 }));
const frames = fc.array(
  fc.record({
    kind: fc.constantFrom(...Object.values(kinds)),
    id: uint32,
    method: text,
    deadlineMs: uint32,
    credit: uint32,
    payload: fc.uint8Array({ maxLength: 200 }),
    also: fc.array(uint32, { maxLength: 10 }),
    trace: text,
  }),
);

test("what is written by hand is a Batch of proto/frames.proto, and is read back", () => {
  fc.assert(
    fc.property(frames, (given) => {
      const out = given.map(({ kind, also, payload, ...fields }) => {
        const frame = outFrame(kind, { ...fields, payload: rawPayload(payload) });
        if (also.length > 0) frame.also = also;
        return frame;
      });
      const batch = Buffer.alloc(out.reduce((sum, frame) => sum + frameSize(frame), 0));
      assert.equal(
        out.reduce((at, frame) => writeFrame(frame, batch, at), 0),
        batch.length,
      );
      assert.deepEqual(Buffer.from(rpc.v1.Batch.encode({ frames: given }).finish()), batch);
      const read: InFrame[] = [];
      readBatch(batch, (frame) => read.push({ ...frame, also: [...frame.also] }));
      assert.deepEqual(
        read.map((frame) => ({ ...frame, payload: Uint8Array.from(frame.payload) })),
        given.map((frame) => ({ ...frame })),
      );
    }),
  );
});

test("any bytes are a batch or are refused as malformed, and nothing else happens", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      for (const batch of [Buffer.from(bytes), Buffer.from([0x0a, bytes.length, ...bytes])]) {
        try {
          readBatch(batch, () => {});
        } catch (thrown) {
          assert.ok(thrown instanceof MalformedError);
        }
      }
    }),
    { numRuns: 2000 },
  );
});
