import assert from "node:assert/strict";
import { test } from "node:test";
import { scaleProblems } from "./scale-problems.js";

const paths = { replicas: ["spec", "n"], statusReplicas: ["status", "n"], selector: ["status", "selector"] };
const { whole, status } = scaleProblems(paths);

const rows: readonly (readonly [object: object, errors: readonly string[]])[] = [
  [{}, []],
  [{ spec: { n: 0 }, status: { n: 2 ** 31 - 1, selector: "a=b" } }, []],
  [{ spec: null, status: null }, []],
  [
    { spec: { n: -1 }, status: { n: 2 ** 31 } },
    [
      ".spec.n: Invalid value: -1: should be a non-negative integer",
      ".status.n: Invalid value: 2147483648: should be less than or equal to 2147483647",
    ],
  ],
  [
    { spec: { n: "x" } },
    [".spec.n: Invalid value: 0: .spec.n accessor error: x is of the type string, expected int64"],
  ],
  [
    { spec: { n: 1.5 } },
    [".spec.n: Invalid value: 0: .spec.n accessor error: 1.5 is of the type float64, expected int64"],
  ],
  [
    { spec: "x" },
    [".spec.n: Invalid value: 0: .spec.n accessor error: x is of the type string, expected map[string]interface{}"],
  ],
  [
    { status: { selector: true } },
    ['.status.selector: Invalid value: "": .status.selector accessor error: true is of the type bool, expected string'],
  ],
];

for (const [object, errors] of rows) {
  test(`a custom resource that can be scaled: ${JSON.stringify(object)}`, () => {
    const told = whole({ metadata: {}, ...object }).map(({ field, message }) => `${field}: ${message}`);
    assert.deepEqual(told, errors);
  });
}

test("a write of the status is held to what the status has", () => {
  const object = { metadata: {}, spec: { n: "x" }, status: { n: -1 } };
  assert.deepEqual(
    status(object).map(({ field }) => field),
    [".status.n"],
  );
});

test("a long value is shown in part", () => {
  const [error] = whole({ metadata: {}, ...{ spec: { n: "x".repeat(10_000) } } });
  assert.ok((error?.message.length ?? 0) < 400);
});
