import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { reader } from "../reader.js";
import { readColumn } from "./column.js";
import { compileTable } from "./table-type.js";

const naming = createNaming("orch");
const read = (column: Readonly<Record<string, unknown>>) =>
  readColumn(reader("f.v1.kinds[0].columns[1]", { name: "N", type: "string", ...column }));

for (const [what, column, message] of [
  ["no notation", {}, /columns\[1\]: expected exactly one of path, text, age/],
  ["two notations", { path: ".a", age: ".b" }, /columns\[1\]: expected exactly one of/],
  ["an unknown word", { source: ".a" }, /columns\[1\]\.source: unknown key/],
  ["an unknown type", { type: "float", path: ".a" }, /columns\[1\]\.type: expected one of string, integer/],
  ["a path of another kind", { path: "a.b" }, /columns\[1\]\.path: expected a path like .* not a\.b/],
  ["half a path", { path: ".a." }, /columns\[1\]\.path: expected a path/],
  ["a list in a path", { path: ".a[].b" }, /columns\[1\]\.path: expected a path/],
  ["two lists", { join: ".a[].b[].c" }, /columns\[1\]\.join: expected one \[\] at most/],
  ["no paths", { count: [] }, /columns\[1\]\.count: expected paths/],
  ["one path for a list", { count: ".a" }, /columns\[1\]\.count: expected a list of strings/],
  ["an unknown function", { cell: "podStatsu" }, /columns\[1\]\.cell: no cell function podStatsu/],
  ["another value of odd type", { path: ".a", or: {} }, /columns\[1\]\.or: expected a string, a number/],
  ["another value where none is used", { labels: ".a", or: "x" }, /columns\[1\]\.or: stands beside labels/],
  ["words where none are used", { path: ".a", words: ["x"] }, /columns\[1\]\.words: stands beside path/],
] as const) {
  test(`a column with ${what} is refused with its place`, () => assert.throws(() => read(column), message));
}

const object = {
  kind: "K",
  metadata: { name: "x", creationTimestamp: "2026-01-02T03:04:05Z" },
  n: 0,
  list: [{ a: "1" }, { b: "2" }, { a: "3" }],
  texts: ["a", "b"],
  map: { b: "2", a: "1" },
  no: false,
  empty: "",
};

for (const [column, cell] of [
  [{ path: ".kind" }, "K"],
  [{ path: ".n", or: "x" }, 0],
  [{ path: ".no", or: true }, false],
  [{ path: ".empty", or: "x" }, "x"],
  [{ path: ".map", or: "x" }, "x"],
  [{ path: ".list[2].a" }, "3"],
  [{ path: ".list[3].a" }, ""],
  [{ path: ".kind.length" }, ""],
  [{ path: ".gone" }, ""],
  [{ type: "integer", path: ".gone" }, 0],
  [{ type: "boolean", path: ".gone" }, false],
  [{ text: ".n", or: "x" }, "0"],
  [{ text: ".gone", or: "x" }, "x"],
  [{ age: ".metadata.creationTimestamp" }, { since: Date.UTC(2026, 0, 2, 3, 4, 5), before: "", after: "" }],
  [{ age: ".gone" }, "<unknown>"],
  [{ age: ".gone", or: "<none>" }, "<none>"],
  [{ count: [".list", ".map", ".gone"] }, 5],
  [{ labels: ".map" }, "a=1,b=2"],
  [{ labels: ".gone" }, "<none>"],
  [{ selector: ".gone" }, "<none>"],
  [{ join: ".texts" }, "a,b"],
  [{ join: ".list[].a" }, "1,,3"],
  [{ join: ".gone[].a", or: "x" }, "x"],
  [{ ratio: [".gone", ".n"] }, "0/0"],
  [{ slashed: [".kind", ".metadata.name"] }, "K/x"],
  [{ slashed: [".gone", ".kind"], or: "x" }, "/K"],
  [{ slashed: [".gone", ".empty"], or: "x" }, "x"],
] as const) {
  test(`a column of ${JSON.stringify(column)} shows ${JSON.stringify(cell)}`, () => {
    assert.deepEqual(compileTable([read(column)], { naming }).row(object).cells, [cell]);
  });
}

test("a kind without columns shows name and creation", () => {
  const table = compileTable([], { naming });
  assert.deepEqual(
    table.columns.map(({ name, type, format, priority }) => [name, type, format, priority]),
    [
      ["Name", "string", "name", 0],
      ["Created At", "date", "", 0],
    ],
  );
  assert.deepEqual(table.row(object).cells, ["x", "2026-01-02T03:04:05Z"]);
});
