import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../table.js";
import { printMatrix, rounded } from "./matrix.js";

function row(operation: string, mode: string, figures: Partial<Row>): Row {
  const none = { connections: 32, unit: "op/s", p50: 1, p99: 2, ratio: undefined, floor: "", failures: 0 };
  return { ...none, perSecond: 100, cpu: new Map(), operation, mode, ...figures };
}

test("each operation has three lines, and each server says how many times better than the first it is", () => {
  const rows = [
    row("get", "peer", {
      perSecond: 1000,
      p50: 4,
      p99: 20.55,
      cpu: new Map([
        ["peer", 300],
        ["etcd", 100],
      ]),
    }),
    row("get", "ours", { perSecond: 12_345, p50: 0.512, p99: 3, cpu: new Map([["standalone", 50]]) }),
  ];
  const held = [
    { column: "ours", bytes: 200e6 },
    { column: "peer", bytes: 500e6 },
  ];
  assert.deepEqual(printMatrix(rows, held).split("\n"), [
    "| operation |  | peer | ours |",
    "|---|---|---|---|",
    "| get | a second | 1,000 | 12,300 (12 ×) |",
    "|  | p50, p99 ms | 4, 20.6 | 0.51, 3 |",
    "|  | CPU µs | 400 | 50 (8.0 ×) |",
    "| memory at the end | MB | 500 | 200 (2.5 ×) |",
  ]);
});

test("a server that is worse has a factor below one", () => {
  const rows = [
    row("create", "peer", { perSecond: 900, cpu: new Map([["peer", 100]]) }),
    row("create", "ours", { perSecond: 450, cpu: new Map([["ours", 200]]) }),
  ];
  const lines = printMatrix(rows, []).split("\n");
  assert.match(lines[2] ?? "", /450 \(0\.5 ×\)/);
  assert.match(lines[4] ?? "", /200 \(0\.5 ×\)/);
});

test("failures stand where the figure is, and what was not measured stays empty", () => {
  const rows = [
    row("list", "peer", { failures: 2 }),
    row("watch", "peer", { unit: "events/s" }),
    row("watch", "ours", { unit: "events/s" }),
  ];
  const lines = printMatrix(rows, []).split("\n");
  assert.equal(lines[2], "| list | a second | 100 **2 FAILED** |  |");
  assert.match(lines[5] ?? "", /^\| watch \| events\/s \|/);
});

test("figures have three digits", () => {
  assert.deepEqual([0.1234, 9.876, 21.34, 432.1, 170_234].map(rounded), ["0.12", "9.88", "21.3", "432", "170,000"]);
  assert.equal(rounded(Number.NaN), "–");
});
