import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Type, t } from "./check/types.js";
import { createEnvironment } from "./environment.js";
import { analyze, makeProgram } from "./program.js";
import { dynamicValue } from "./schema/dynamic.js";
import type { Expr } from "./syntax/ast.js";
import { parse } from "./syntax/parser.js";
import { print } from "./syntax/print.js";
import { anyText, brokenExpressions, expressions } from "./testing/expressions.js";
import { ArrayList, mapOf } from "./values/collections.js";
import { Double, Uint, type Value } from "./values/value.js";

// CEL_FUZZ=100000 runs that many inputs; without it a few, so that the tests stay fast.
const many = Number(process.env["CEL_FUZZ"] ?? 0);
const runs = (few: number): number => Math.max(few, many);

const types = new Map<string, Type>([
  ["i", t.int],
  ["u", t.uint],
  ["f", t.double],
  ["s", t.string],
  ["b", t.bool],
  ["l", t.list(t.int)],
  ["m", t.map(t.string, t.int)],
  ["d", t.dyn],
]);

const values = new Map<string, Value>([
  ["i", 5],
  ["u", new Uint(7n)],
  ["f", new Double(0.5)],
  ["s", "a,b"],
  ["b", true],
  ["l", new ArrayList([1, 2, 3])],
  ["m", mapOf([["k", 1]])],
  ["d", dynamicValue({ a: { b: 1 }, list: [1, "x", null] })],
]);

const env = createEnvironment({ dialect: "kubernetes", variables: types });
const grammar = { macros: env.check.macros, optionals: true };
const read = (name: string): Value | undefined => values.get(name);

/** A tree without the places and numbers of its nodes. */
function shape(e: Expr): string {
  return JSON.stringify(e, (key, value: unknown) => {
    if (key === "id" || key === "at") return undefined;
    if (value instanceof Set) return [...value];
    return typeof value === "bigint" ? `${value}n` : Object.is(value, -0) ? "-0" : value;
  });
}

test("what is printed reads as the same expression", () => {
  fc.assert(
    fc.property(expressions, (text) => {
      const first = parse(text, grammar);
      if (!first.ok) return;
      const printed = print(first.expr, first.written);
      const second = parse(printed, grammar);
      assert.ok(second.ok, `${text} printed as ${printed}`);
      assert.equal(shape(second.expr), shape(first.expr), `${text} printed as ${printed}`);
    }),
    { numRuns: runs(2000) },
  );
});

/** Whether a part has a type that only its value decides. */
function hasDyn(checked: { readonly types: readonly (Type | undefined)[] }): boolean {
  return checked.types.some((type) => type !== undefined && JSON.stringify(type).includes('"dyn"'));
}

// Null may stand for an optional, as the reference has it: what then fails is no fault of the checker.
test("a checked expression without dyn and null never fails because of a type", () => {
  fc.assert(
    fc.property(expressions, (text) => {
      const analysis = analyze(text, env);
      if (!analysis.ok || hasDyn(analysis.checked) || text.includes("null")) return;
      const made = makeProgram(text, analysis.checked, { env });
      if (!made.ok) return;
      const outcome = made.program.run(read);
      if (!outcome.ok) assert.ok(!outcome.error.startsWith("no such overload"), `${text}: ${outcome.error}`);
    }),
    { numRuns: runs(2000) },
  );
});

test("an evaluation costs no less than the steps of its loops", () => {
  const lists = fc.array(fc.integer(), { maxLength: 50 });
  fc.assert(
    fc.property(expressions, lists, (body, list) => {
      const text = `l.map(x, ${body})`;
      const analysis = analyze(text, env);
      if (!analysis.ok) return;
      const made = makeProgram(text, analysis.checked, { env });
      if (!made.ok) return;
      const outcome = made.program.run((name) => (name === "l" ? new ArrayList(list) : read(name)));
      // What the reference panics at (a key that no map takes) ends the loop, too.
      if (!outcome.ok && outcome.cancelled === true) return;
      assert.ok(outcome.cost >= list.length, `${text}: ${outcome.cost} for ${list.length} elements`);
    }),
    { numRuns: runs(1000) },
  );
});

test("any text is an expression or has errors; no evaluation throws", () => {
  let longest = 0;
  fc.assert(
    fc.property(fc.oneof(anyText, expressions, brokenExpressions), (text) => {
      const began = process.cpuUsage();
      const analysis = analyze(text, env);
      if (!analysis.ok) assert.ok(analysis.display.startsWith("ERROR: <input>:"), analysis.display);
      else {
        const made = makeProgram(text, analysis.checked, { env });
        if (made.ok) made.program.run(read);
      }
      const { user, system } = process.cpuUsage(began);
      longest = Math.max(longest, (user + system) / 1000);
    }),
    { numRuns: runs(3000) },
  );
  // A turn of 25 ms is told, not asserted: tests know no times.
  if (many > 0) process.stdout.write(`the longest of ${many} inputs took ${longest.toFixed(1)} ms of the processor\n`);
});

test("an expression that nests deep is refused, whatever nests", () => {
  for (const [open, close] of [
    ["(", ")"],
    ["[", "]"],
    ["!(", ")"],
    ["size([", "])"],
    ["1 + (", ")"],
    ["x.f(", ")"],
  ] as const) {
    const text = `${open.repeat(5000)}1${close.repeat(5000)}`;
    const analysis = analyze(text, env);
    assert.ok(!analysis.ok && analysis.display.includes("recursion"), open);
  }
});

test("a text that nests deep and never closes has errors, whatever nests", () => {
  for (const piece of ["(", "[", "{a:", "a(", "a[", "!", "-", "a?", "a?a:", "a.", "a{b:", "[a,", "a&&"]) {
    for (const times of [100, 200, 300, 5000]) {
      const analysis = analyze(piece.repeat(times), env);
      assert.ok(!analysis.ok && analysis.display.startsWith("ERROR: <input>:"), `${times} times ${piece}`);
    }
  }
});

/** A list of two lists that are one, and so on: as a tree it has 2^depth leaves. */
function shared(depth: number): string {
  let text = "dyn([1])";
  for (let i = 0; i < depth; i++) text = `[${text}].map(v${i}, dyn([v${i}, v${i}]))[0]`;
  return text;
}

test("what shares its parts is compared and written in no more time than it took to make", () => {
  const outcomeOf = (text: string) => {
    const analysis = analyze(text, env);
    assert.ok(analysis.ok);
    const made = makeProgram(text, analysis.checked, { env });
    assert.ok(made.ok);
    return made.program.run(read);
  };
  const [a, b] = [shared(40), shared(39)];
  for (const [text, value] of [
    [`${a} == ${a}`, true],
    [`${a} != ${a}`, false],
    [`${a} == ${b}`, false],
    [`[${a}].all(x, x == x)`, true],
    [`${a} in [${b}, ${a}]`, true],
    [`sets.contains([${a}], [${a}])`, true],
  ] as const) {
    const outcome = outcomeOf(text);
    assert.ok(outcome.ok && outcome.value === value, text);
  }
  const written = outcomeOf(`'%s'.format([${a}])`);
  assert.ok(!written.ok && written.error === "result of string function is too long");
});

test("the limit of cost ends an evaluation, and a budget is shared", () => {
  const text = "l.all(x, l.all(y, l.all(z, x + y + z > 0)))";
  const analysis = analyze(text, env);
  assert.ok(analysis.ok);
  const made = makeProgram(text, analysis.checked, { env });
  assert.ok(made.ok);
  const stopped = made.program.run(read, { limit: 20 });
  assert.deepEqual(stopped, {
    ok: false,
    error: "operation cancelled: actual cost limit exceeded",
    cost: 21,
    cancelled: true,
  });
  const budget = { remaining: 1000 };
  const first = made.program.run(read, { budget });
  assert.ok(first.ok);
  assert.equal(budget.remaining, 1000 - first.cost);
});

test("a deadline ends a loop", () => {
  const text = "l.map(x, l.map(y, l.map(z, l.map(w, x)))).size()";
  const analysis = analyze(text, env);
  assert.ok(analysis.ok);
  const made = makeProgram(text, analysis.checked, { env });
  assert.ok(made.ok);
  const outcome = made.program.run(read, { interrupted: () => true });
  assert.ok(!outcome.ok && outcome.cancelled && outcome.error === "operation interrupted");
});
