import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  difference,
  emptySet,
  equalSets,
  type FieldSet,
  fieldSet,
  has,
  intersection,
  isEmpty,
  isSubset,
  leaves,
  pathSet,
  paths,
  recursiveDifference,
  sorted,
  union,
} from "./field-set.js";
import { readFieldSet } from "./fields-v1.js";
import { fieldElement, keyElement, valueElement } from "./path-element.js";

const element = fc.oneof(
  fc.constantFrom("a", "b", "c", "__proto__", "é", "😀").map(fieldElement),
  fc.constantFrom("x", 'q"', "<").map((name) => keyElement([["name", name]])),
  fc.tuple(fc.constantFrom(80, 443), fc.constantFrom("TCP", "UDP")).map(([port, protocol]) =>
    keyElement([
      ["port", port],
      ["protocol", protocol],
    ]),
  ),
  fc.constantFrom("x", 1, 20, 3, true).map(valueElement),
  fc.constantFrom(0, 9, 10).map((i) => `i:${i}`),
);
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const set: fc.Arbitrary<FieldSet> = fc
  .array(path, { maxLength: 6 })
  .map((all) => all.reduce<FieldSet>((s, p) => union(s, pathSet(p)), emptySet));

const texts = (s: FieldSet): string[] => [...paths(s)].map((p) => JSON.stringify(p));
const same = (s: FieldSet, members: readonly string[]): void => assert.deepEqual(texts(s).sort(), [...members].sort());

test("sets are sets of paths", () => {
  fc.assert(
    fc.property(set, set, (a, b) => {
      const [x, y] = [texts(a), texts(b)];
      same(union(a, b), [...new Set([...x, ...y])]);
      same(
        intersection(a, b),
        x.filter((p) => y.includes(p)),
      );
      same(
        difference(a, b),
        x.filter((p) => !y.includes(p)),
      );
      assert.equal(
        isSubset(a, b),
        x.every((p) => y.includes(p)),
      );
      assert.equal(equalSets(a, b), isSubset(a, b) && isSubset(b, a));
      for (const p of paths(a)) assert.ok(has(a, p));
    }),
  );
});

test("a recursive difference takes what is below, too", () => {
  const startsWith = (p: string, q: string): boolean => {
    const [one, two]: unknown[][] = [JSON.parse(p), JSON.parse(q)];
    return two?.every((e, i) => e === one?.[i]) === true;
  };
  fc.assert(
    fc.property(set, set, (a, b) => {
      const y = texts(b);
      same(
        recursiveDifference(a, b),
        texts(a).filter((p) => !y.some((q) => startsWith(p, q))),
      );
      same(
        leaves(a),
        texts(a).filter((p) => !texts(a).some((q) => q !== p && startsWith(q, p))),
      );
    }),
  );
});

test("operations give sets in order and in canonical form; what changes nothing gives an operand back", () => {
  fc.assert(
    fc.property(set, set, (a, b) => {
      for (const s of [a, union(a, b), difference(a, b), recursiveDifference(a, b), sorted(intersection(a, b))]) {
        assert.equal(sorted(s), s);
        const read = readFieldSet(JSON.parse(JSON.stringify(s)));
        assert.ok("set" in read);
        assert.equal(JSON.stringify(read.set), JSON.stringify(s));
      }
      assert.equal(union(a, intersection(a, b)), a);
      assert.equal(difference(a, difference(b, a)), a);
      assert.ok(isEmpty(difference(a, a)));
    }),
  );
});

test("a set is made of the names of fields", () => {
  assert.deepEqual(fieldSet(["spec"], ["metadata", "name"], ["metadata"]), {
    "f:metadata": { ".": {}, "f:name": {} },
    "f:spec": {},
  });
});
