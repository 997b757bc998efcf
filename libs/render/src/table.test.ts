import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "@orch/api/catalog.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { cellsAt } from "@orch/api/table/row-text.js";
import { arbitraryObject } from "@orch/api/testing/arbitrary.js";
import { asVersion, decodeObject } from "@orch/api/writes.js";
import { objectOf } from "@orch/codec/json.js";
import fc from "fast-check";
import { type Form, type IncludeObject, plainForm } from "./form.js";
import { itemsSize } from "./framing.js";
import type { ListMetadata, Renderer } from "./renderer.js";
import { createRenderers } from "./renderers.js";
import { allVersions, catalog, naming } from "./testing/kinds.js";
import { createBodyReader } from "./testing/read-body.js";

const renderers = createRenderers(catalog, naming.metaGroup);
const reader = createBodyReader(catalog);
const versions = allVersions();
const now = Date.parse("2026-01-02T03:04:05Z");
const tableForm: Form = { ...plainForm, as: "Table" };

function kindOf(name: string): Kind {
  const kind = versions.get(name);
  assert.ok(kind, name);
  return kind;
}

function tableOf(kind: string, form: Partial<Form> = {}): Renderer {
  return renderers.of(kindOf(kind), { ...tableForm, ...form }, "");
}

function listAt(renderer: Renderer, at: number, hubs: readonly AnyObject[], metadata: ListMetadata): Buffer {
  const pieces = hubs.map((hub) => renderer.piece(hub).at(at));
  const { head, before, tail } = renderer.list(metadata, itemsSize(renderer, pieces));
  return Buffer.concat([head, ...pieces.flatMap((piece, i) => [before(i, piece), piece]), tail]);
}

/** Of a stored CronJob, five minutes old. */
const cronJob = {
  kind: "CronJob",
  apiVersion: "batch/v1",
  metadata: { name: "a", namespace: "n", resourceVersion: "7", creationTimestamp: "2026-01-02T02:59:05Z" },
  spec: { schedule: "0 * * * *", suspend: false, jobTemplate: { metadata: {}, spec: {} }, concurrencyPolicy: "Allow" },
  status: {},
};

test("a list is a table with its columns, a row for each object, and the list's metadata", () => {
  const metadata = { resourceVersion: "42", continue: "next", remainingItemCount: 3 };
  const renderer = tableOf("v1.ConfigMap", { includeObject: "None" });
  const maps = ["a", "b"].map((name) => ({
    metadata: { name, creationTimestamp: "2026-01-02T03:04:00Z" },
    data: { x: "1", y: "2" },
  }));
  const text = listAt(renderer, now, maps, metadata).toString();
  assert.ok(text.endsWith("}\n"));
  const { columnDefinitions, ...rest } = JSON.parse(text);
  assert.deepEqual(rest, {
    kind: "Table",
    apiVersion: "meta.orch/v1",
    metadata,
    rows: [
      { cells: ["a", 2, "5s"], object: null },
      { cells: ["b", 2, "5s"], object: null },
    ],
  });
  assert.deepEqual(columnDefinitions, kindOf("v1.ConfigMap").table.columns);
});

test("an empty list is a table without rows, one object a table of one", () => {
  const renderer = tableOf("batch/v1.CronJob");
  assert.deepEqual(reader.body("json", listAt(renderer, now, [], { resourceVersion: "42" }))["rows"], []);
  const document = reader.body("json", renderer.document(renderer.piece(cronJob).at(now), "7"));
  assert.deepEqual(document, reader.body("json", listAt(renderer, now, [cronJob], { resourceVersion: "7" })));
});

const { kind: _kind, apiVersion: _apiVersion, ...content } = cronJob;
const shownObjects: readonly (readonly [kind: string, include: IncludeObject, metaVersion: string, object: unknown])[] =
  [
    ["batch/v1.CronJob", "None", "v1", null],
    [
      "batch/v1.CronJob",
      "Metadata",
      "v1",
      { kind: "PartialObjectMetadata", apiVersion: "meta.orch/v1", metadata: cronJob.metadata },
    ],
    [
      "batch/v1beta1.CronJob",
      "Metadata",
      "v1beta1",
      { kind: "PartialObjectMetadata", apiVersion: "meta.orch/v1beta1", metadata: cronJob.metadata },
    ],
    ["batch/v1.CronJob", "Object", "v1", { kind: "CronJob", apiVersion: "batch/v1", ...content }],
    ["batch/v1beta1.CronJob", "Object", "v1", { kind: "CronJob", apiVersion: "batch/v1beta1", ...content }],
  ];
for (const [kind, includeObject, metaVersion, object] of shownObjects) {
  test(`a row of ${kind} with includeObject=${includeObject} in ${metaVersion}`, () => {
    const renderer = tableOf(kind, { includeObject, metaVersion });
    const { rows, apiVersion } = reader.body("json", renderer.document(renderer.piece(cronJob).at(now), "7"));
    assert.equal(apiVersion, `meta.orch/${metaVersion}`);
    const cells = ["a", "0 * * * *", "<none>", "False", 0, "<none>", "5m", "", "", "<none>"];
    assert.deepEqual(rows, [{ cells, object }]);
  });
}

test("rows are made of the stored object, whose whole object is shown as the version has it", () => {
  const slice = {
    kind: "EndpointSlice",
    apiVersion: "discovery.orch/v1",
    metadata: { name: "a", namespace: "n", creationTimestamp: "2026-01-02T03:04:00Z" },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"], zone: "z1" }],
  };
  const rowOf = (version: string) => {
    const renderer = tableOf(`discovery.orch/${version}.EndpointSlice`, { includeObject: "Object" });
    return JSON.parse(renderer.document(renderer.piece(slice).at(now), "7").toString()).rows[0];
  };
  assert.deepEqual(rowOf("v1beta1").cells, rowOf("v1").cells);
  assert.equal(rowOf("v1").object.endpoints[0].zone, "z1");
  assert.equal(rowOf("v1beta1").object.apiVersion, "discovery.orch/v1beta1");
  assert.deepEqual(rowOf("v1beta1").object.endpoints[0].topology, { "topology.orch/zone": "z1" });
});

test("a row is printed anew when its age reads otherwise, and no sooner", () => {
  const piece = tableOf("v1.ConfigMap", { includeObject: "None" }).piece({
    metadata: { name: "a", creationTimestamp: "2026-01-02T03:04:05Z" },
  });
  const ages: readonly (readonly [seconds: number, age: string])[] = [
    [0, "0s"],
    [0.5, "0s"],
    [1, "1s"],
    [119.9, "119s"],
    [120, "2m"],
    [3 * 3600, "3h"],
    [400 * 86_400, "400d"],
    // The clock was set back.
    [1, "1s"],
  ];
  for (const [seconds, age] of ages) {
    const row = piece.at(now + seconds * 1000);
    assert.deepEqual(JSON.parse(row.toString()).cells, ["a", 0, age]);
    assert.equal(piece.at(now + seconds * 1000), row, "the same bytes at the same time");
  }
  assert.equal(piece.at(now + 400 * 86_400_000), piece.at(now + 400 * 86_400_000 + 1));
});

test("an event has a table of one row, a bookmark one of none, an error is a plain Status", () => {
  const renderer = tableOf("v1.ConfigMap", { includeObject: "None" });
  const piece = renderer.piece({ metadata: { name: "a", resourceVersion: "7" } }).at(now);
  const event = reader.event("json", renderer.event("ADDED", renderer.document(piece, "7")));
  assert.equal(event.type, "ADDED");
  assert.deepEqual(event.object, reader.body("json", renderer.document(piece, "7")));
  const bookmark = reader.event("json", renderer.bookmark({ resourceVersion: "9" }));
  assert.equal(bookmark.type, "BOOKMARK");
  const { kind, metadata, rows } = bookmark.object;
  assert.deepEqual({ kind, metadata, rows }, { kind: "Table", metadata: { resourceVersion: "9" }, rows: [] });
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 410 };
  assert.deepEqual(reader.event("json", renderer.error(status)), { type: "ERROR", object: status });
  assert.deepEqual(reader.body("json", renderer.status(status)), status);
});

interface Printed {
  readonly columnDefinitions: readonly unknown[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

for (const [name, kind] of versions) {
  test(`${name}: rows have a cell for each column, whatever the object`, () => {
    const renderer = renderers.of(kind, { ...tableForm, includeObject: "None" }, "");
    fc.assert(
      fc.property(fc.array(arbitraryObject(kind.hub.type), { maxLength: 3 }), (trees) => {
        // With the nulls and zeros that the reference always writes; cells know decoded objects.
        const stored = trees.map((tree) => asVersion(kind.hub, withMetadata(tree)));
        const hubs = stored.map((hub) => decodeObject(kind.hub, hub).object);
        const printed = listAt(renderer, now, stored, { resourceVersion: "1" });
        const table: Printed = { columnDefinitions: [], rows: [], ...objectOf(printed) };
        assert.deepEqual(
          table.rows.map((row) => row.cells),
          hubs.map((hub) => cellsAt(kind.table.row(hub), now)),
        );
        for (const { cells } of table.rows) assert.equal(cells.length, table.columnDefinitions.length);
      }),
      { numRuns: 5 },
    );
  });
}
