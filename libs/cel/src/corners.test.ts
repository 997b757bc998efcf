import assert from "node:assert/strict";
import { test } from "node:test";
import { type ExpressionCase, runExpression } from "./cases/expression.js";

type Row = readonly [expr: string, outcome: string, vars?: NonNullable<ExpressionCase["vars"]>];

/** What became of an expression: the error, or the value as JSON; the cost behind it. */
function outcomeOf([expr, , vars = {}]: Row): string {
  const got = runExpression({ id: "corner", expr, vars }, "kubernetes");
  const refused = got["compile_error"] ?? got["program_error"];
  if (typeof refused === "string") return sourceErrors(refused);
  const made = typeof got["error"] === "string" ? got["error"] : JSON.stringify(got["value"]);
  return `${made} (${got["cost"]})`;
}

/** The errors of a text without its lines: `1:3: what`. */
function sourceErrors(display: string): string {
  const prefix = "ERROR: <input>:";
  const heads = display.split("\n").filter((line) => !line.startsWith(" | "));
  return heads.map((line) => (line.startsWith(prefix) ? line.slice(prefix.length) : line)).join("; ");
}

function holds(rule: string, rows: readonly Row[]): void {
  test(rule, () => {
    assert.deepEqual(
      rows.map((row) => [row[0], outcomeOf(row)]),
      rows.map(([expr, outcome]) => [expr, outcome]),
    );
  });
}

const flag = { b: { type: "bool", value: true } };

holds("an optional that is read as a path loses the types of its value", [
  ["(b ? optional.of(int) : optional.none()).value()", '{"string":"int"} (3)', flag],
  ["(b ? optional.of(optional.of(1)) : optional.none())", '{"optional":{"int":1}} (3)', flag],
  ["(b ? optional.of(optional.none()) : optional.none()).value()", '{"null":null} (4)', flag],
  [
    "(b ? optional.of(ip('::1')) : optional.none()).value()",
    "unsupported conversion to ref.Val: (netip.Addr)::1 (4)",
    flag,
  ],
  ["(b ? optional.of(ip('::1')) : optional.none()).hasValue()", '{"bool":true} (4)', flag],
]);

holds("an optional that is met on the way of a path is a value like others", [
  ["{1: optional.none()}[1][?1 + 1]", '{"optional":"none"} (34)'],
]);

holds("an optional may hold null or nothing", [
  ["optional.of(null).value()", '{"null":null} (2)'],
  ["optional.ofNonZeroValue(optional.none()).hasValue()", '{"bool":true} (3)'],
]);

holds("a loop with two variables loses what is wrong with its range", [
  ["[][5].all(x, y, true)", "unsupported comprehension range type: *types.Err (2)"],
  ["[][5].all(x, true)", "index out of bounds: 5 (2)"],
]);

holds("a variable that stands for a type is none", [
  ["[int].exists(t, t == int)", "reference to undefined type: t"],
  ["optional.of(int).optMap(t, 1)", "reference to undefined type: t"],
]);

holds("what an operator does not know names it, but for texts and times", [
  ["-dyn([])", "no such overload: -_ (1)"],
  ["-dyn('a')", "no such overload (1)"],
  ["dyn('a') * 2", "no such overload (1)"],
  ["dyn(null) * 2", "no such overload: _*_ (1)"],
  ["dyn(1).matches(s)", "no such overload: matches (2)", { s: { type: "string", value: "a" } }],
  ["double(dyn(b))", "no such overload: double(bool) (3)", flag],
  ["timestamp(b ? null : timestamp(0))", "no such overload: timestamp(null_type) (2)", flag],
  ["dyn(b).value()", "no such overload: value(bool) (3)", flag],
]);

holds("an overload is chosen by the first element of a list", [
  ["dyn([duration('1s')]).sum()", '{"duration":"1s"} (1)'],
  ["dyn(['a']).sum()", "no such overload: sum(list) (0)"],
]);

holds("an argument that fails ends some calls at once", [
  ["''.split('a')[2].format([1 + 1])", "index out of bounds: 2 (2)"],
  ["{}[b].containsIP(dyn(ip('::1')))", "no such key: true (2)", flag],
  ["format.named('').value().validate('a')", "optional.none() dereference (3)"],
]);

holds("times that overflow are integers that do", [
  ["timestamp('9999-12-31T23:59:59Z') - timestamp(0)", "integer overflow (1)"],
  ["duration('2562047h47m') + duration('1h')", "integer overflow (1)"],
]);

holds("a timestamp may have an hour of one digit and an offset of a day", [
  ["timestamp('2024-01-01T5:00:00Z')", '{"timestamp":"2024-01-01T05:00:00Z"} (0)'],
  ["timestamp('2024-01-01T00:00:00+24:00')", '{"timestamp":"2023-12-31T00:00:00Z"} (0)'],
  ["timestamp('2024-01-01T00:00:00-23:60')", '{"timestamp":"2024-01-02T00:00:00Z"} (0)'],
  ["timestamp('2024-01-01T05:0:00Z')", "1:11: invalid timestamp argument"],
  ["timestamp('2024-01-01T00:00:00+25:00')", "1:11: invalid timestamp argument"],
]);

holds("formatted texts", [
  ["'%.12e'.format([double('Infinity')])", '{"string":"           ∞"} (1)'],
  [
    "'%s'.format([b'\\xff'])",
    'error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string (1)',
  ],
  ["'%o'.format([[1]])", "1:14: error during formatting: octal clause can only be used on integers, was given list"],
  ["'%s'.format([['\u2028\u{10ffff}é']])", `${JSON.stringify({ string: '["\\u2028\\U0010ffffé"]' })} (1)`],
  [
    "ip('\u00a0')",
    'IP Address "\\u00a0" parse error during conversion from string: ParseAddr("\\u00a0"): unable to parse IP (1)',
  ],
]);

holds("the last index in an empty text", [
  ["''.lastIndexOf('a')", "index out of range: -1 (0)"],
  ["''.lastIndexOf('')", '{"int":0} (0)'],
]);

holds("bytes are no key of a map", [
  ["{b'a': b}", "internal error: runtime error: hash of unhashable type types.Bytes (1)", flag],
]);

holds("has() of a conditional takes off what it does not count of a variable", [
  ["has((b ? {'a': b} : {}).a)", '{"bool":true} (32)', flag],
]);

holds("types in messages", [
  [
    "list.all(x, true)",
    "1:1: expression of type 'type(list(A))' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ["[?[]]", "1:3: expected type 'optional_type(list(_var0))' but found 'list(_var0)'"],
]);

const operands =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

holds("syntax errors", [
  ["-1.", "1:4: Syntax error: no viable alternative at input '.'"],
  ["1 + 2 *", `1:8: Syntax error: mismatched input '<EOF>' expecting ${operands}`],
  [
    "a.é.b",
    "1:3: Syntax error: token recognition error at: 'é'; 1:4: Syntax error: no viable alternative at input '..'",
  ],
  ["has(.", "1:0: invalid argument to has() macro; 1:6: Syntax error: no viable alternative at input '.'"],
]);

test("properties are compared by the names that they have in expressions", () => {
  const schema = { type: "object", properties: { a__b: { type: "integer" }, in: { type: "integer" } } };
  const compare = (value: unknown): unknown =>
    runExpression({ id: "names", expr: "self == self", self: { schema, value } }, "kubernetes")["value"];
  assert.deepEqual(compare({ a__b: 1, in: 2 }), { bool: true });
});

holds("a constant that cannot be a key ends the evaluation, not the planning", [
  ["{b'a': 1}", "internal error: runtime error: hash of unhashable type types.Bytes (0)"],
  ["true || size({b'a': 1}) == 1", '{"bool":true} (0)'],
]);
