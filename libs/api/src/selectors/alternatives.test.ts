import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { maxAlternatives, parseLabelAlternatives } from "./alternatives.js";
import { parseLabelSelector, SelectorError } from "./labels.js";
import { refuseAlternatives } from "./selectors.js";

const term = fc.constantFrom("a=1", "a!=1", "b", "!b", "a in (1,2)", "a>0");
const selector = fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => terms.join());
const labels = fc.record({ a: fc.constantFrom("1", "2", "3"), b: fc.constantFrom("x", "") }, { requiredKeys: [] });

test("alternatives match what one of them matches", () => {
  fc.assert(
    fc.property(fc.array(selector, { minLength: 1, maxLength: 4 }), labels, (texts, given) => {
      const { alternatives, matches } = parseLabelAlternatives(texts.join(" || "));
      assert.equal(alternatives.length, texts.length);
      assert.equal(
        matches(given),
        texts.some((text) => parseLabelSelector(text).matches(given)),
      );
    }),
  );
});

test("what is no list of selectors is refused", () => {
  for (const text of [
    "||",
    "a||",
    "||a",
    "a|||b",
    "a||b=c=d",
    "a in (1||2)",
    Array(maxAlternatives + 1)
      .fill("a")
      .join("||"),
  ]) {
    assert.throws(() => parseLabelAlternatives(text), SelectorError, text);
  }
  const many = Array(2)
    .fill(Array.from({ length: 129 }, (_, i) => `k${i}`).join())
    .join("||");
  assert.throws(() => parseLabelAlternatives(many), /at most 256 requirements/);
  assert.equal(
    parseLabelAlternatives(Array(maxAlternatives).fill("a").join("||")).alternatives.length,
    maxAlternatives,
  );
});

test("a server without alternatives refuses them in the reference's words", () => {
  assert.throws(() => refuseAlternatives("a=b || c=d"), /^ApiError: found '\|\|', expected: ',' or 'end of string'/);
  assert.throws(() => refuseAlternatives("a=b||c=d"), /Invalid value: "b\|\|c"/);
  assert.throws(() => refuseAlternatives("a||b"), /unable to parse requirement/);
  refuseAlternatives("a=b,c");
});
