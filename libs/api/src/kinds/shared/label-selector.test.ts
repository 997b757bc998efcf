import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseLabelSelector } from "../../selectors/labels.js";
import { type LabelSelector, selectorMatches, selectorText, validateLabelSelector } from "./label-selector.js";

const texts = (selector: LabelSelector | undefined) =>
  validateLabelSelector(selector, "spec.selector").map((e) => `${e.field}: ${e.message}`);
const oneOf = (operator: string, values?: readonly string[], key = "a"): LabelSelector => ({
  matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }],
});

const rules: readonly (readonly [string, LabelSelector | undefined, readonly (string | RegExp)[]])[] = [
  ["absent", undefined, []],
  ["empty", {}, []],
  ["good", { matchLabels: { a: "b", "x.y/z": "" }, ...oneOf("In", ["c"]) }, []],
  [
    "In without values",
    oneOf("In"),
    ["spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
  ],
  ["NotIn without values", oneOf("NotIn", []), [/values: Required value/]],
  [
    "Exists with values",
    oneOf("Exists", ["b"]),
    [
      "spec.selector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
  ],
  ["DoesNotExist with values", oneOf("DoesNotExist", ["b"]), [/values: Forbidden/]],
  [
    "unknown operator",
    oneOf("Gt", ["1"]),
    ['spec.selector.matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator'],
  ],
  [
    "key of wrong form",
    oneOf("Exists", undefined, "a b"),
    [/^spec.selector.matchExpressions\[0\].key: Invalid value: "a b": name part/],
  ],
  [
    "value of wrong form",
    oneOf("In", ["ok", "a b"]),
    [/^spec.selector.matchExpressions\[0\].values\[1\]: Invalid value: "a b": a valid label must/],
  ],
  [
    "label of wrong form",
    { matchLabels: { "a b": "c d" } },
    [/^spec.selector.matchLabels: Invalid value: "a b": name part/, /^spec.selector.matchLabels: Invalid value: "c d"/],
  ],
];

for (const [name, selector, wanted] of rules) {
  test(`a label selector: ${name}`, () => {
    const found = texts(selector);
    assert.equal(found.length, wanted.length, found.join("\n"));
    for (const [i, want] of wanted.entries()) {
      if (typeof want === "string") assert.equal(found[i], want);
      else assert.match(found[i] ?? "", want);
    }
  });
}

const matches: readonly (readonly [LabelSelector | undefined, Record<string, string> | undefined, boolean, string])[] =
  [
    [undefined, { a: "b" }, false, ""],
    [{}, { a: "b" }, true, ""],
    [{}, undefined, true, ""],
    [{ matchLabels: { a: "b" } }, { a: "b", c: "d" }, true, "a=b"],
    [{ matchLabels: { b: "1", a: "b" } }, { a: "b" }, false, "a=b,b=1"],
    [oneOf("In", ["c", "b", "c"]), { a: "c" }, true, "a in (b,c)"],
    [oneOf("NotIn", ["b"]), { a: "b" }, false, "a notin (b)"],
    [oneOf("NotIn", ["b"]), {}, true, "a notin (b)"],
    [oneOf("Exists"), { a: "" }, true, "a"],
    [oneOf("DoesNotExist"), { a: "" }, false, "!a"],
    [oneOf("Near"), { a: "" }, false, ""],
  ];

for (const [selector, labels, wanted, text] of matches) {
  test(`${JSON.stringify(selector)} and ${JSON.stringify(labels)}: ${wanted}`, () => {
    assert.equal(selectorMatches(selector, labels), wanted);
    assert.equal(selectorText(selector), text);
  });
}

test("a selector's text, read as a parameter, matches the same labels", () => {
  const word = fc.constantFrom("a", "b", "c", "d.e/f", "x-1");
  const labels = fc.dictionary(word, fc.constantFrom("", "1", "two"));
  const valued = fc.record({
    key: word,
    operator: fc.constantFrom("In", "NotIn"),
    // A parameter has no text for the empty value alone.
    values: fc.array(fc.constantFrom("", "1"), { minLength: 1 }).map((values) => [...values, "two"]),
  });
  const bare = fc.record({ key: word, operator: fc.constantFrom("Exists", "DoesNotExist") });
  const selector = fc.record({ matchLabels: labels, matchExpressions: fc.array(fc.oneof(valued, bare)) });
  fc.assert(
    fc.property(selector, labels, (given, of) => {
      const read = parseLabelSelector(selectorText(given));
      assert.equal(selectorMatches(given, of), read.matches(of));
    }),
  );
});
