import assert from "node:assert/strict";
import { test } from "node:test";
import { withMetadata } from "@orch/api/object.js";
import { arbitraryObject } from "@orch/api/testing/arbitrary.js";
import { objectOf } from "@orch/codec/json.js";
import { printStored, spliceVersion } from "@orch/codec/stored-object.js";
import fc from "fast-check";
import { plainForm } from "./form.js";
import { createRenderers } from "./renderers.js";
import { allVersions, catalog, naming } from "./testing/kinds.js";

const renderers = createRenderers(catalog, naming.metaGroup);

for (const [name, kind] of allVersions()) {
  const renderer = renderers.of(kind, { ...plainForm, encoding: "protobuf" }, "");
  const { fromJson } = renderer;
  if (fromJson === undefined) continue;
  test(`${name} is the same piece of its stored bytes as of its tree`, () => {
    assert.equal(fromJson.of, "object");
    fc.assert(
      fc.property(arbitraryObject(kind.hub.type), (tree) => {
        const { metadata } = withMetadata(tree);
        const { bytes } = spliceVersion(printStored(kind.hub, { ...tree, metadata: { name: "a", ...metadata } }), 17);
        const expected = renderer.piece(withMetadata(objectOf(bytes))).at(0);
        assert.equal(fromJson.piece(bytes).at(0).toString("hex"), expected.toString("hex"));
      }),
      { numRuns: 8 },
    );
  });
}

test("only versions whose trees are the stored ones are made of the stored bytes, and only as Protobuf", () => {
  const made = [...allVersions().values()].filter(
    (kind) => renderers.of(kind, { ...plainForm, encoding: "protobuf" }, "").fromJson !== undefined,
  );
  assert.ok(made.length > 50, `${made.length}`);
  for (const kind of made) {
    assert.ok(kind.hub === kind || kind.conversion === undefined);
    for (const encoding of ["json", "cbor"] as const)
      assert.equal(renderers.of(kind, { ...plainForm, encoding }, "").fromJson, undefined);
  }
});

test("metadata alone is made of the metadata's bytes", () => {
  const pods = catalog.kind("v1", "Pod") ?? assert.fail("no pods");
  const form = { ...plainForm, encoding: "protobuf", as: "PartialObjectMetadata", metaVersion: "v1" } as const;
  const renderer = renderers.of(pods, form, "");
  const metadata = { name: "a", labels: { b: "1" }, managedFields: [{ fieldsV1: { "f:a": {} } }] };
  const expected = renderer.piece({ metadata }).at(0);
  assert.equal(renderer.fromJson?.of, "metadata");
  assert.deepEqual(renderer.fromJson?.piece(Buffer.from(JSON.stringify(metadata))).at(0), expected);
});
