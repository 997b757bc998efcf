import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isAge } from "../table/cell.js";
import { customTable } from "./columns.js";
import { parseJsonPath } from "./json-path.js";

const root = {
  metadata: { name: "a", creationTimestamp: "2025-01-01T00:00:00Z", labels: { "app.example.com/name": "x" } },
  spec: {
    ports: [
      { name: "http", port: 80, tls: false },
      { name: "https", port: 443, tls: true },
    ],
    tags: ["x", "y", "z"],
    "odd key": 1,
    deep: { a: { b: { n: 7 } } },
  },
};

const paths: readonly (readonly [path: string, first: unknown])[] = [
  [".metadata.name", "a"],
  [".spec.tags[0]", "x"],
  [".spec.tags[-1]", "z"],
  [".spec.tags[1:]", "y"],
  [".spec.tags[5]", undefined],
  [".spec.tags[*]", "x"],
  [".spec.ports[*].port", 80],
  ['.spec.ports[?(@.name=="https")].port', 443],
  [".spec.ports[?(@.name=='https')].port", 443],
  [".spec.ports[?(@.port>80)].name", "https"],
  [".spec.ports[?(@.tls==true)].name", "https"],
  [".spec.ports[?(@.none)].name", undefined],
  [".spec.ports[?(@.name)].name", "http"],
  [".spec['odd key']", 1],
  [".metadata.labels.app\\.example\\.com/name", "x"],
  [".metadata.labels['app.example.com/name']", undefined],
  [".metadata.labels['app\\.example\\.com/name']", "x"],
  ["..n", 7],
  [".spec.deep..n", 7],
  [".spec.*.a.b.n", 7],
  [".spec.ports[0,1].port", 80],
  [".spec.none.at.all", undefined],
];

describe("paths of columns", () => {
  for (const [path, first] of paths) test(path, () => assert.deepEqual(parseJsonPath(path)?.(root), first));

  for (const path of [
    "spec",
    ".spec[",
    ".spec[?(@.a",
    ".spec[?(@.a==)]",
    ".spec.a]",
    ".spec['a",
    ".spec[a]",
    ".spec[0:1:0]",
  ]) {
    test(`${path} is none`, () => assert.equal(parseJsonPath(path), undefined));
  }

  test("a path of many descents over a large object ends", () => {
    const list = Array.from({ length: 3000 }, (_, i) => ({ i, next: { i } }));
    assert.equal(parseJsonPath("......none")?.({ list }), undefined);
  });
});

const columns = [
  { name: "When", type: "date", jsonPath: ".w" },
  { name: "N", type: "number", jsonPath: ".n" },
  { name: "I", type: "integer", jsonPath: ".i" },
  { name: "B", type: "boolean", jsonPath: ".b" },
  { name: "S", type: "string", jsonPath: ".s" },
  { name: "L", type: "string", jsonPath: ".l[*].x" },
  { name: "C", type: "string", jsonPath: ".a.b.c" },
];

describe("cells of a custom resource", () => {
  const rows: readonly (readonly [object: object, cells: readonly unknown[]])[] = [
    [
      { w: "2020-01-01T00:00:00Z", n: 1.5, i: 7, b: true, s: "x", l: [{ x: 1 }, { x: 2 }], a: { b: { c: { d: 1 } } } },
      ["age", 1.5, 7, true, "x", "1", '{"d":1}'],
    ],
    [{ w: "bad", n: "x", i: "7", b: "true", s: 5, l: [] }, ["<invalid>", null, null, null, "5", null, null]],
    [{ w: "1", s: null }, ["<invalid>", null, null, null, "<no value>", null, null]],
    [
      { w: "", s: { b: "<", a: [{ d: 1, c: 2 }] } },
      ["<unknown>", null, null, null, '{"a":[{"c":2,"d":1}],"b":"\\u003c"}', null, null],
    ],
    [{ i: 1.7, n: 3, s: { m: 1 } }, [null, 3, 1, null, '{"m":1}', null, null]],
    [{ i: 12345678901234567890n, w: 5 }, [null, null, 12345678901234567890n, null, null, null, null]],
  ];
  const table = customTable(columns);
  for (const [object, cells] of rows) {
    test(cells.join(" "), () => {
      const row = table.row({ ...object, metadata: { name: "t" } });
      assert.deepEqual(
        row.cells.map((cell) => (isAge(cell) ? "age" : cell)),
        ["t", ...cells],
      );
    });
  }

  test("without columns, or with one that no path can be read of, there are name and age", () => {
    for (const given of [[], [...columns, { name: "Bad", type: "string", jsonPath: ".a[" }]]) {
      assert.deepEqual(
        customTable(given).columns.map(({ name }) => name),
        ["Name", "Age"],
      );
    }
  });

  test("columns are told as the definition tells them", () => {
    const told = customTable([
      { name: "Size", type: "integer", format: "int32", priority: 1, description: "big", jsonPath: ".s" },
    ]);
    assert.deepEqual(told.columns[1], {
      name: "Size",
      type: "integer",
      format: "int32",
      description: "big",
      priority: 1,
    });
  });
});
