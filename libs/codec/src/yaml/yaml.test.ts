import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { unrecognizedBody } from "../decoded.js";
import { jsonTrees } from "../testing/json-trees.js";
import { parseYaml, printYaml } from "./yaml.js";

const parse = (text: string) => parseYaml(Buffer.from(text));

function read(text: string): unknown {
  const decoded = parse(text);
  assert.ok(decoded.ok, decoded.ok ? "" : decoded.problem);
  return decoded.value;
}

function problemOf(text: string): string {
  const read = parse(text);
  return read.ok ? "" : read.problem;
}

test("plain scalars are read as Go clients read them", () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ["yes", true],
    ["Off", false],
    ["y", true],
    ["True", true],
    ["yEs", "yEs"],
    ["~", null],
    ["null", null],
    ["12", 12],
    ["+12", 12],
    ["-0x1F", -31],
    ["0644", 420],
    ["0o17", 15],
    ["0b101", 5],
    ["089", 89],
    ["1_000", 1000],
    [".5", 0.5],
    ["1e3", 1000],
    ["1.", 1],
    ["1:20", "1:20"],
    ["190:20:30", "190:20:30"],
    ["2001-12-14", "2001-12-14"],
    ["2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"],
    ["10.0.0.1", "10.0.0.1"],
    ["1Gi", "1Gi"],
    ["'yes'", "yes"],
    ['"12"', "12"],
    ["!!str 12", "12"],
    ["!!str", ""],
    ["9007199254740991", 9007199254740991],
  ];
  for (const [text, value] of rows) assert.deepEqual(read(`k: ${text}`), { k: value }, text);
});

test("keys become strings as JSON needs them", () => {
  assert.deepEqual(read("1: a\nyes: b\n0x10: c\n'~': d\n1.5: e"), {
    "1": "a",
    true: "b",
    "16": "c",
    "~": "d",
    "1.5": "e",
  });
});

test("integers of 64 bits are exact in every notation, and printed so", () => {
  const rows: readonly (readonly [string, bigint])[] = [
    ["9007199254740993", 2n ** 53n + 1n],
    ["-9_223_372_036_854_775_808", -(2n ** 63n)],
    ["+9223372036854775807", 2n ** 63n - 1n],
    ["0x7FFFFFFFFFFFFFFF", 2n ** 63n - 1n],
    ["-0o777777777777777777", -(8n ** 18n - 1n)],
    ["1e17", 10n ** 17n],
  ];
  for (const [text, value] of rows) {
    const read = parseYaml(Buffer.from(`size: ${text}\n${text.replaceAll("_", "")}: x`));
    assert.ok(read.ok);
    assert.deepEqual(read.value, { size: value, [text === "1e17" ? "100000000000000000" : String(value)]: "x" });
    assert.deepEqual(parseYaml(Buffer.from(printYaml({ size: value }))), {
      ok: true,
      value: { size: value },
      duplicates: [],
      repeatedLines: [],
    });
  }
});

test("what JSON can not hold is refused with its place", () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ["a: {b: [.inf]}", /\.inf is not a JSON value \(a\.b\[0\]\)/],
    ["size: 1e400", /out of range \(size\)/],
    ["size: 9223372036854775808", /could not be kept exactly \(size\)/],
    ["size: 0xFFFFFFFFFFFFFFFF", /could not be kept exactly \(size\)/],
    ["? [a]\n: b", /a map key must be/],
    ["? {a: b}\n: b", /a map key must be/],
    ["~: b", /a map key must be/],
    ["a: !!python/object b", /unknown tag/],
    ["a: !!binary aGk=", /unknown tag/],
    ["a: *b", /unknown anchor 'b'|Unresolved alias/],
    ["a: 1\n---\nb: 2", /more than one document/],
    ["", /holds no document/],
    ["# nothing\n---\n", /holds no document/],
    ["a: b: c", /line 1: /],
    ["a: [1,,2]", /line 1: unexpected ,/],
    ["a: 'b", /line 1: Missing closing 'quote/],
    ["a:\n\t- b", /line 2/],
    ["<<: 1", /map merge requires/],
  ];
  for (const [text, problem] of rows) assert.match(problemOf(text), problem, text);
  assert.match(parseYaml(Buffer.from([0x61, 0xff])).ok ? "" : "refused", /refused/);
});

test("an empty document after the only one is no second one", () => {
  assert.deepEqual(read("---\na: 1\n---\n"), { a: 1 });
  assert.deepEqual(read("---\na: 1\n...\n"), { a: 1 });
});

test("repeated keys are named by their paths and the last one wins", () => {
  const text = "data: {a: 1, a: 2}\nspec:\n  containers:\n  - image: v\n    image: w\n1: a\n'1': b\n";
  assert.deepEqual(parse(text), {
    ok: true,
    value: { data: { a: 2 }, spec: { containers: [{ image: "w" }] }, "1": "b" },
    duplicates: ["data.a", "spec.containers[0].image", "1"],
    repeatedLines: [
      'line 1: key "a" already set in map',
      'line 5: key "image" already set in map',
      'line 7: key "1" already set in map',
    ],
  });
});

const repeats: readonly [text: string, lines: readonly string[]][] = [
  ["a: 1\na: 2\na: 3\n", ['line 2: key "a"', 'line 3: key "a"']],
  // By where the value begins, after what is repeated in it.
  ["a: 1\na:\n  b: 1\n  b: 2\n", ['line 4: key "b"', 'line 3: key "a"']],
  ["a: 1\n\n# why\na: # this\n\n  text\n", ['line 6: key "a"']],
  ["a: |\n  text\na: |\n  text\n", ['line 3: key "a"']],
  ["a:\n- 1\na:\n- 2\n", ['line 4: key "a"']],
  ["a:\na:\n", ['line 2: key "a"']],
  ["? a\n: 1\n? a\n: 2\n", ['line 4: key "a"']],
  ["1: a\n1: b\ntrue: a\nyes: b\n", ["line 2: key 1", "line 4: key true"]],
  ['\'a"b\': 1\n"a\\"b": 2\n', ['line 2: key "a\\"b"']],
  ['{"a": 1,\n"b": {"c": 1,\n"c": 2},\n"a": 2}', ['line 3: key "c"', 'line 4: key "a"']],
];
test("repeated keys are told by their lines as the reference's reader tells them", () => {
  for (const [text, lines] of repeats) {
    const read = parse(text);
    assert.deepEqual(
      read.ok && read.repeatedLines,
      lines.map((line) => `${line} already set in map`),
      text,
    );
  }
});

test("JSON sent as YAML keeps its fast path and its meaning", () => {
  assert.deepEqual(parse(' {"a":"yes","b":[1],"b":2}'), {
    ok: true,
    value: { a: "yes", b: 2 },
    duplicates: ["b"],
    repeatedLines: ['line 1: key "b" already set in map'],
  });
  assert.deepEqual(read("{a: yes}"), { a: true });
});

test("aliases are copied and merge keys merged, the map's own keys winning", () => {
  assert.deepEqual(
    read("p: &p {a: 1, b: 2}\nq: &q {b: 3, c: 4}\nr:\n  b: 0\n  <<: [*p, *q]\ns: {<<: *p, <<: *q}\nl: [*p]"),
    { p: { a: 1, b: 2 }, q: { b: 3, c: 4 }, r: { b: 0, a: 1, c: 4 }, s: { a: 1, b: 2, c: 4 }, l: [{ a: 1, b: 2 }] },
  );
  const value = read("a: &a {k: 1}\nb: *a");
  assert.ok(typeof value === "object" && value !== null && "a" in value && "b" in value);
  assert.notEqual(value.a, value.b);
  assert.deepEqual(read("a: &a 1\nb: &b [*a]\nc: &a 2\nd: *b\ne: *a"), { a: 1, b: [1], c: 2, d: [1], e: 2 });
  assert.deepEqual(read("'<<': 1"), { "<<": 1 });
});

test("bombs are refused", () => {
  const names = "abcdefghi".split("");
  const laughs = names.map((n, i) => {
    const inner = i === 0 ? "lol" : `*${names[i - 1]}`;
    return `${n}: &${n} [${Array(9).fill(inner).join(", ")}]`;
  });
  const rows: readonly (readonly [string, RegExp])[] = [
    [laughs.join("\n"), /excessive aliasing/],
    [`a: &a "${"x".repeat(100_000)}"\nb: [${"*a, ".repeat(1000)}]`, /excessive aliasing/],
    ["&a [*a, *a]", /max depth/],
    ["[".repeat(1_000_000), /max depth/],
    ["- ".repeat(500_000), /max depth/],
    ["? ".repeat(500_000), /max depth/],
    [`[${"a,".repeat(500_000)}]`, /tokens/],
  ];
  for (const [text, problem] of rows) assert.match(problemOf(text), problem, text.slice(0, 20));
});

test("__proto__ is an own key and pollutes nothing", () => {
  const value = read("__proto__: {polluted: true}\nx: &x {__proto__: {p: 1}}\ny: {<<: *x}");
  assert.ok(typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__"));
  assert.equal("polluted" in value, false);
  assert.equal("polluted" in {}, false);
});

test("a 400 says that the text was YAML", () => {
  const read = parse("a: b: c");
  assert.ok(!read.ok);
  assert.match(
    unrecognizedBody("ConfigMap", read).message,
    /^the object provided is unrecognized \(must be of type ConfigMap\): error converting YAML to JSON: yaml: line 1: .*\(613a20623a2063\)$/,
  );
});

test("strings that YAML would take for something else are printed in quotes", () => {
  const text = printYaml({ a: "yes", b: "n", c: "1:20", d: "2001-01-01", e: "0644", f: "~", g: "", h: ["x"] });
  assert.equal(text, 'a: "yes"\nb: "n"\nc: "1:20"\nd: "2001-01-01"\ne: "0644"\nf: "~"\ng: ""\nh:\n- x\n');
});

test("what was printed reads back the same", () => {
  fc.assert(
    fc.property(jsonTrees, (value) => {
      const expected: unknown = JSON.parse(JSON.stringify(value));
      assert.deepEqual(parse(printYaml(expected)), { ok: true, value: expected, duplicates: [], repeatedLines: [] });
    }),
    { numRuns: 500 },
  );
});
