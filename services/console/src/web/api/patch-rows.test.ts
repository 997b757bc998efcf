import assert from "node:assert/strict";
import { test } from "node:test";
import { patchRows, sortRows } from "./patch-rows.js";
import type { Row } from "./table.js";

const row = (name: string, cell = ""): Row => ({
  ...{ key: `ns/${name}`, namespace: "ns", name, cells: [name, cell], uid: name, resourceVersion: "1" },
  ...{ created: 0, labels: {}, text: name },
});
const put = (name: string, cell = "") => ({ key: `ns/${name}`, row: row(name, cell) });
const gone = (name: string) => ({ key: `ns/${name}`, row: undefined });
const names = (rows: readonly Row[]): string => rows.map(({ name, cells }) => name + cells[1]).join(" ");

test("changes are merged in the order of keys", () => {
  const rows = [row("b"), row("d"), row("f")];
  assert.equal(names(patchRows(rows, [put("c"), gone("b"), put("d", "2")])), "c d2 f");
  assert.equal(names(patchRows(rows, [put("a"), put("z")])), "a b d f z");
  assert.equal(names(patchRows([], [put("b"), put("a")])), "a b");
  assert.equal(names(patchRows(rows, [gone("nobody")])), "b d f");
});

test("the last of several changes of a row holds", () => {
  assert.equal(names(patchRows([row("a")], [put("a", "1"), gone("a"), put("a", "3")])), "a3");
  assert.equal(names(patchRows([row("a")], [put("a", "1"), gone("a")])), "");
});

test("rows that do not change stay the same values, and no change is no new list", () => {
  const rows = [row("a"), row("b")];
  assert.equal(patchRows(rows, [])[0], rows[0]);
  assert.equal(patchRows(rows, []), rows);
  assert.equal(patchRows(rows, [put("b", "2")])[0], rows[0]);
});

test("rows of a server that orders otherwise are sorted once", () => {
  const rows = [row("a"), row("b")];
  assert.equal(sortRows(rows), rows);
  assert.equal(names(sortRows([row("b"), row("a")])), "a b");
});

test("thousands of changes take one walk", () => {
  const rows = Array.from({ length: 5000 }, (_, index) => row(String(index).padStart(5, "0")));
  const changes = rows.map(({ name }, index) => (index % 2 === 0 ? gone(name) : put(name, "x")));
  assert.equal(patchRows(rows, changes).length, 2500);
});
