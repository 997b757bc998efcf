import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { tests } from "@bufbuild/cel-spec/testdata/conformance.js";
import { type ConformanceSuite, type ConformanceTest, runConformance } from "./testing/conformance.js";

// The public conformance data of the language. The list tells what each test is in the reference's environment: a pass,
// an error of compilation, or one of those that mean something else there.
const listFile = new URL("../testdata/cel-spec-in-release-1.32.json", import.meta.url);
const list: Record<string, Record<string, readonly string[]>> = JSON.parse(readFileSync(listFile, "utf8"));

const expected = new Map<string, string>();
for (const [suite, verdicts] of Object.entries(list)) {
  for (const [verdict, names] of Object.entries(verdicts)) {
    for (const name of names) expected.set(`${suite}/${name}`, verdict);
  }
}

function* allTests(suite: ConformanceSuite, path: readonly string[]): Iterable<readonly [string, ConformanceTest]> {
  for (const one of suite.tests ?? []) yield [[...path, one.original.name ?? ""].join("/"), one];
  for (const inner of suite.suites ?? []) yield* allTests(inner, [...path, inner.name]);
}

const found = [...allTests(tests, [])];

for (const [verdict, outcome, atLeast] of [
  ["pass", "held", 1285],
  ["compile-error", "compile-error", 920],
  ["not-applicable", "not-applicable", 90],
] as const) {
  test(`conformance data: what is ${verdict} in the reference's environment is so here`, () => {
    const chosen = found.filter(([id]) => expected.get(id) === verdict);
    const wrong = chosen.map(([id, one]) => [id, runConformance(one)]).filter(([, got]) => got !== outcome);
    assert.deepEqual(wrong, []);
    assert.ok(chosen.length >= atLeast, `${chosen.length} tests`);
  });
}
