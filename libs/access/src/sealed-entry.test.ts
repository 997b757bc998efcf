import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { createEntrySeal } from "./sealed-entry.js";

const seal = createEntrySeal(randomBytes(32));
const name = seal.nameOf("token", "k");
const entry = { value: { user: "bob", groups: ["ü"] }, until: 5 };

test("what was sealed is opened under its name, by those who know the secret", () => {
  assert.deepEqual(seal.open(name, seal.seal(name, entry)), entry);
  const others: readonly string[] = ["", "x", seal.nameOf("token", "l"), seal.nameOf("webhook", "k")];
  for (const other of others) assert.equal(seal.open(other, seal.seal(name, entry)), undefined);
  const stranger = createEntrySeal(randomBytes(32));
  assert.equal(stranger.open(name, seal.seal(name, entry)), undefined);
  assert.notEqual(stranger.nameOf("token", "k"), name);
});

test("a name tells its part and nothing of its key", () => {
  assert.match(name, /^token:[-\w]{43}$/);
  assert.notEqual(seal.nameOf("a", "b\nc"), seal.nameOf("a\nb", "c"));
});

test("no change of an entry and no other text is opened", () => {
  const sealed = seal.seal(name, entry);
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.string({ maxLength: 3 }), fc.nat(3), (at, put, cut) => {
      const changed = sealed.slice(0, at) + put + sealed.slice(at + cut);
      assert.deepEqual(seal.open(name, changed), changed === sealed ? entry : undefined);
    }),
    { numRuns: 1000 },
  );
  fc.assert(fc.property(fc.string(), (text) => assert.equal(seal.open(name, text), undefined)));
});

test("a short secret is refused", () => {
  assert.throws(() => createEntrySeal(randomBytes(31)), /less than 32 bytes/);
});
