import { test } from "node:test";
import { assertLinear } from "@orch/status/testing/growth.js";
import { difference, type FieldSet, recursiveDifference, sorted, union, unionOf } from "./field-set.js";
import { readFieldSet } from "./fields-v1.js";
import { keyElement, valueElement } from "./path-element.js";

const level = (n: number, prefix: string): FieldSet =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`f:${prefix}${i}`, {}]));

test("thousands of members that go from one level are taken in one copy of it", () => {
  for (const remove of [difference, recursiveDifference]) {
    assertLinear(4000, (n) => {
      const [a, b] = [level(2 * n, "a"), level(n, "a")];
      return () => remove(a, b);
    });
  }
});

test("sets of one member each are put together without copying what is there for each", () => {
  assertLinear(4000, (n) => {
    const sets = Array.from({ length: n }, (_, i) => ({ "f:data": { [`f:a${i}`]: {} } }));
    return () => unionOf(sets);
  });
});

test("a level is put in order with each of its elements parsed once", () => {
  assertLinear(1200, (n) => {
    const long = Array.from({ length: 200 }, () => 1);
    const elements = Array.from({ length: n }, (_, i) => valueElement([...long, (i * 7919) % n]));
    const set: FieldSet = Object.fromEntries(elements.map((element) => [element, {}]));
    return () => sorted(set);
  });
});

test("two levels with keys as elements are united in order", () => {
  assertLinear(4000, (n) => {
    const keys = (prefix: string): FieldSet =>
      sorted(Object.fromEntries(Array.from({ length: n }, (_, i) => [keyElement([["n", `${prefix}${i}`]]), {}])));
    const [a, b] = [keys("a"), keys("b")];
    return () => union(a, b);
  });
});

test("an element that is written in many ways, each time with or without something below, is collected once", () => {
  assertLinear(4000, (n) => {
    const below = JSON.stringify(level(n, "a"));
    const blanks = (i: number): string => i.toString(2).replaceAll("0", " ").replaceAll("1", "\\t");
    const twins = Array.from({ length: n }, (_, i) => `"k:{${blanks(i)}\\"n\\":1}":{}`);
    const fields: unknown = JSON.parse(`{"k:{\\"n\\":1}":${below},${twins.join(",")}}`);
    return () => readFieldSet(fields);
  });
});
