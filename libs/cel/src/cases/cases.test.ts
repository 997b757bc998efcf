import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type CaseRow, differences, parseRow, runCase } from "./run.js";

const lines = readFileSync(new URL("../../testdata/cases.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n");
const rows = lines.map((line) => parseRow(line, JSON.parse));

const group = (id: string): string => id.slice(0, id.lastIndexOf("-"));

const groups = new Map<string, CaseRow[]>();
for (const row of rows) groups.set(group(row.id), [...(groups.get(group(row.id)) ?? []), row]);

for (const [name, members] of groups) {
  const served = members.filter((row) => runCase(row, "kubernetes") !== undefined);
  if (served.length === 0) continue;
  test(`the reference's answers hold: ${name}`, () => {
    const wrong = served.flatMap((row) => {
      const found = differences(row.want, runCase(row, "kubernetes") ?? {});
      return found === undefined ? [] : [{ id: row.id, ...found }];
    });
    assert.deepEqual(wrong, []);
  });
}

test("all expressions of the rows are run", () => {
  assert.ok(rows.filter((row) => runCase(row, "kubernetes") !== undefined).length >= 1491);
});

test("a list literal costs 40 in the dialect orch, 10 in the dialect kubernetes", () => {
  const row = { id: "list", kind: "expr", want: {}, expr: "[1, 2].map(x, x).size()" };
  assert.equal(runCase(row, "kubernetes")?.["cost"], 28);
  assert.equal(runCase(row, "orch")?.["cost"], 88);
});
