import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { applyDelta, deltaOf } from "./delta.js";

const made = (source: string, target: string): Buffer => deltaOf(Buffer.from(source), Buffer.from(target));

test("a delta makes the target of the source, whatever they are", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("a", "b", '"x":1,'), maxLength: 400 }));
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(applyDelta(Buffer.from(a), made(a, b)).toString(), b);
    }),
    { numRuns: 400 },
  );
});

test("parts that are changed, taken out and put in anywhere are told, and little else", () => {
  const edit = fc.record({ at: fc.nat(4000), out: fc.nat(20), put: fc.string({ maxLength: 12 }) });
  const source = JSON.stringify(
    Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`field-${i}`, `value ${i * 7919}`])),
  );
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
      const target = edits.reduce((text, { at, out, put }) => text.slice(0, at) + put + text.slice(at + out), source);
      const delta = made(source, target);
      assert.equal(applyDelta(Buffer.from(source), delta).toString(), target);
      assert.ok(delta.length < 60 * (edits.length + 1) + 40, `${delta.length} bytes for ${edits.length} edits`);
    }),
  );
});

test("the same text is one copy, nothing in common is given whole", () => {
  const text = "x".repeat(1000);
  assert.ok(made(text, text).length <= 4);
  assert.ok(made(text, "y".repeat(1000)).length <= 1010);
  assert.equal(made("", "").length, 0);
  assert.equal(applyDelta(Buffer.from("abc"), made("abc", "")).length, 0);
});

test("what is no delta of a source is refused, whatever it is", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        assert.ok(applyDelta(Buffer.from("a source"), Buffer.from(bytes)).length <= 60 * 8);
      } catch (error) {
        assert.ok(error instanceof RangeError);
      }
    }),
  );
});

test("texts that repeat themselves take time linear in their size", () => {
  const a = Buffer.from("ab".repeat(300_000));
  const b = Buffer.from(`c${"ab".repeat(150_000)}d${"ab".repeat(150_000)}e`);
  assert.ok(applyDelta(a, deltaOf(a, b)).equals(b));
});
