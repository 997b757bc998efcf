import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { difference, type FieldSet, intersection, isEmpty, sizeOf, sorted, union, unionOf } from "./field-set.js";
import { readFieldSet } from "./fields-v1.js";
import { commonWith, indexed, without } from "./indexed-set.js";

const tree = fc.letrec((tie) => ({
  node: fc.oneof({ maxDepth: 3 }, fc.constant({}), tie("level")),
  level: fc.dictionary(fc.constantFrom("f:a", "f:b", "f:c", 'k:{"n":"x"}', "v:1", "."), tie("node")),
})).level;

const set = tree.map((fields): FieldSet => {
  const read = readFieldSet(fields);
  assert.ok("set" in read);
  return sorted(read.set);
});

test("against an index the answers are those of the plain operations", () => {
  fc.assert(
    fc.property(set, set, (a, b) => {
      assert.equal(JSON.stringify(commonWith(a, indexed(b))), JSON.stringify(intersection(a, b)));
      assert.equal(JSON.stringify(without(a, indexed(b))), JSON.stringify(difference(a, b)));
      if (isEmpty(intersection(a, b))) assert.equal(without(a, indexed(b)), a);
    }),
  );
});

test("the union of many sets is that of one after another", () => {
  fc.assert(
    fc.property(fc.array(set), (sets) => {
      const one = sets.reduce<FieldSet>(union, {});
      assert.equal(JSON.stringify(unionOf(sets)), JSON.stringify(one));
      assert.ok(sizeOf(one) <= sets.reduce((sum, s) => sum + sizeOf(s), 0));
    }),
  );
});
