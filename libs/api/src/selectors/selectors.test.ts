import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import fc from "fast-check";
import { formatFieldSelector, parseFieldSelector, parseFieldTerms } from "./fields.js";
import { formatLabelSelector, parseLabelSelector, SelectorError } from "./labels.js";
import { parseSelectors } from "./selectors.js";

const labels = { app: "web", tier: "front", empty: "", n: "5", __proto__: "x" };

for (const [text, expected] of [
  ["", true],
  ["app=web", true],
  ["app==web", true],
  ["app = web , tier = front", true],
  ["app!=web", false],
  ["other!=web", true],
  ["app in (web,db)", true],
  ["app in (db)", false],
  ["app notin (web)", false],
  ["other notin (web)", true],
  ["app", true],
  ["other", false],
  ["!app", false],
  ["!other", true],
  ["empty=", true],
  ["empty in (,a)", true],
  ["empty in ()", true],
  ["app in ()", false],
  ["app notin ()", true],
  ["n>4", true],
  ["n<5", false],
  ["app>1", false],
  ["in in (in)", false],
  ["toString", false],
  ["app,tier in (front,back),!gone", true],
] as const) {
  test(`the label selector ${JSON.stringify(text)} ${expected ? "matches" : "does not match"}`, () => {
    assert.equal(parseLabelSelector(text).matches(labels), expected);
  });
}

for (const [text, message] of [
  ["!!", "unable to parse requirement: found '!', expected: identifier"],
  ["a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  ["a in b", "unable to parse requirement: found 'b' expected: '('"],
  ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ["a,", "found '', expected: identifier after ','"],
  ["=a", "found '=', expected: !, identifier, or 'end of string'"],
  ["a=b c", "found 'c', expected: ',' or 'end of string'"],
  ["a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"],
  [
    "a>b",
    "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
] as const) {
  test(`the label selector ${text} is refused as the reference refuses it`, () => {
    assert.throws(
      () => parseLabelSelector(text),
      (e) => e instanceof SelectorError && e.message === message,
    );
  });
}

test("a key or value of wrong form is refused", () => {
  assert.throws(
    () => parseLabelSelector("a%=b"),
    /unable to parse requirement: key: Invalid value: "a%": name part must/,
  );
  assert.throws(() => parseLabelSelector("a=%"), /values\[0\]\[a\]: Invalid value: "%": a valid label must be/);
});

test("requirements that ask for one value are offered to an index", () => {
  const { exact } = parseLabelSelector("b in (x),a=1,c in (p,q),d!=2,e");
  assert.deepEqual(exact, [
    { key: "a", value: "1" },
    { key: "b", value: "x" },
  ]);
});

test("a label selector printed and read again is the same", () => {
  const word = fc.stringMatching(/^[a-z]([a-z0-9]{0,5}[a-z0-9])?$/);
  const values = fc.uniqueArray(word, { minLength: 1, maxLength: 3 }).map((v) => v.join(","));
  const requirement = fc.oneof(
    word,
    word.map((k) => `!${k}`),
    fc.tuple(word, fc.constantFrom("=", "==", "!="), word).map((parts) => parts.join("")),
    fc.tuple(word, fc.constantFrom("in", "notin"), values).map(([k, o, v]) => `${k} ${o} (${v})`),
    fc.tuple(word, fc.constantFrom(">", "<"), fc.integer()).map(([k, o, n]) => `${k}${o}${Math.abs(n)}`),
  );
  fc.assert(
    fc.property(fc.array(requirement), (parts) => {
      const selector = parseLabelSelector(parts.join(","));
      const again = parseLabelSelector(formatLabelSelector(selector));
      assert.deepEqual(again.requirements, selector.requirements);
    }),
  );
});

test("no text makes the label parser fail otherwise than by its error", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        parseLabelSelector(text);
      } catch (error) {
        assert.ok(error instanceof SelectorError);
      }
    }),
  );
});

const plain = { fields: [], aliases: {}, strict: false };
const pods = { fields: ["spec.nodeName", "status.phase"], aliases: { "spec.host": "spec.nodeName" }, strict: false };
const nodes = { fields: ["spec.unschedulable"], aliases: {}, strict: true };

test("field selectors compare, escape and know aliases", () => {
  const selector = parseFieldSelector("metadata.name==a\\,b\\=c,status.phase!=Running,spec.host=n1", pods);
  assert.equal(selector.exact.get("metadata.name"), "a,b=c");
  assert.equal(selector.exact.get("spec.nodeName"), "n1");
  assert.ok(selector.matches({ "metadata.name": "a,b=c", "spec.nodeName": "n1" }));
  assert.ok(!selector.matches({ "metadata.name": "a,b=c", "spec.nodeName": "n1", "status.phase": "Running" }));
  assert.ok(parseFieldSelector(",spec.nodeName=,", pods).matches({}));
  assert.equal(formatFieldSelector(selector), "metadata.name=a\\,b\\=c,status.phase!=Running,spec.nodeName=n1");
});

for (const [text, known, message] of [
  ["spec.foo=1", plain, '"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"'],
  ["metadata.name", plain, "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
  ["spec.foo=1", pods, "field label not supported: spec.foo"],
  ["metadata.namespace=a", nodes, "field label not supported: metadata.namespace"],
  [
    "spec.foo=1",
    { ...plain, unsupported: "field label {} not supported for Job" },
    'field label "spec.foo" not supported for Job',
  ],
  ["metadata.name=a\\b", plain, "invalid field selector: invalid escape sequence: \\b"],
  ["metadata.name=a=b", plain, "invalid field selector: unescaped character in value: 61"],
] as const) {
  test(`the field selector ${text} is refused: ${message}`, () => {
    assert.throws(
      () => parseFieldSelector(text, known),
      (e) => e instanceof SelectorError && e.message === message,
    );
  });
}

test("terms are read whatever fields they name", () => {
  assert.deepEqual(parseFieldTerms("a.b=c\\,d,x!=,"), [
    { field: "a.b", operator: "=", value: "c,d" },
    { field: "x", operator: "!=", value: "" },
  ]);
  assert.throws(() => parseFieldTerms("a"), SelectorError);
});

test("a request's selectors are read together, and one that cannot be read is a bad request", () => {
  const kind = { fieldSelectors: pods };
  const { labels: byLabel, fields } = parseSelectors(kind, { labelSelector: "a=b", fieldSelector: "" });
  assert.equal(byLabel?.alternatives[0]?.exact.length, 1);
  assert.equal(fields, undefined);
  assert.throws(
    () => parseSelectors(kind, { labelSelector: "!!", fieldSelector: "" }),
    (e) => e instanceof ApiError && e.reason === "BadRequest" && /^unable to parse requirement/.test(e.message),
  );
});

test("a selector of more requirements than anybody needs is refused, and its text is not repeated", () => {
  const known = { fieldSelectors: pods };
  for (const request of [
    { labelSelector: Array.from({ length: 257 }, (_, i) => `k${i}`).join(","), fieldSelector: "" },
    { labelSelector: "", fieldSelector: "metadata.name!=a,".repeat(257) },
    { labelSelector: `a in (${"b,".repeat(40_000)}b)`, fieldSelector: "" },
    { labelSelector: "", fieldSelector: "x".repeat(60_000) },
    { labelSelector: `a ${"x".repeat(60_000)}`, fieldSelector: "" },
  ]) {
    assert.throws(
      () => parseSelectors(known, request),
      (e) => e instanceof ApiError && e.reason === "BadRequest" && e.message.length < 3000,
    );
  }
  const most = Array.from({ length: 256 }, (_, i) => `k${i}`).join(",");
  assert.equal(
    parseSelectors(known, { labelSelector: most, fieldSelector: "" }).labels?.alternatives[0]?.requirements.length,
    256,
  );
});
