import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createSlabs } from "./slabs.js";

test("no two buffers share a byte, small ones share a slab, large ones have memory of their own", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 }), (sizes) => {
      const allocate = createSlabs(1000);
      const buffers = sizes.map((size, i) => allocate(size).fill(i + 1));
      for (const [i, buffer] of buffers.entries()) {
        assert.equal(buffer.length, sizes[i]);
        assert.ok(buffer.every((byte) => byte === i + 1));
        assert.equal(
          buffer.buffer.byteLength,
          buffer.length > 250 ? buffer.length : buffer.length > 0 ? 1000 : buffer.buffer.byteLength,
        );
      }
    }),
  );
});
