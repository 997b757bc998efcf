import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import { type CreateRow, testCreates } from "../../testing/kind-rows.js";
import { keptOf } from "../../writes.js";

const catalog = loadCatalog(createNaming("kubernetes"));
const kit = createKindKit(catalog);
const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { password: "hunter2" } };
const kinds = ["sets.orch/v1alpha1.Set", "sets.orch/v1alpha1.ClusterSet"] as const;

const creates: readonly CreateRow[] = kinds.flatMap((kind): readonly CreateRow[] => [
  [kind, "of nothing", {}, []],
  [kind, "of objects", { spec: { objects: [secret] } }, []],
  [
    kind,
    "of too many",
    { spec: { objects: Array.from({ length: 1001 }, () => secret) } },
    ["spec.objects: Too many: 1001: must have at most 1000 items"],
  ],
]);
testCreates(kit, creates);

const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const annotated = (text: string): Tree => ({ metadata: { annotations: { [annotation]: text, own: "x" } } });

for (const kind of kinds) {
  const keptAnnotations = (tree: Tree) => keptOf(kit.kind(kind), kit.created(kind, tree)).metadata.annotations;

  test(`${kind}: what it holds is not stored with it`, () => {
    const created = kit.created(kind, { spec: { adopt: true, objects: [secret] } });
    const kept = keptOf(kit.kind(kind), created);
    assert.deepEqual(kept["spec"], { adopt: true });
    assert.ok(!JSON.stringify(kept).includes("hunter2"));
    assert.ok(JSON.stringify(created).includes("hunter2"), "what is written and judged has it");
  });

  test(`${kind}: an empty list is not the same as none`, () => {
    assert.deepEqual(kit.created(kind, { spec: { objects: [] } })["spec"], { objects: [] });
    assert.deepEqual(kit.created(kind, { spec: {} })["spec"], {});
  });

  test(`${kind}: what a client applied is kept without the objects`, () => {
    const applied = { metadata: { name: "x" }, spec: { adopt: true, objects: [secret] } };
    assert.deepEqual(keptAnnotations(annotated(JSON.stringify(applied))), {
      [annotation]: `${JSON.stringify({ metadata: { name: "x" }, spec: { adopt: true } })}\n`,
      own: "x",
    });
  });

  for (const text of ["hunter2", "[]", '"hunter2"', '{"spec":', '{"spec":["hunter2"]}']) {
    test(`${kind}: nothing is kept of an annotation that says ${text}`, () => {
      assert.ok(!JSON.stringify(keptAnnotations(annotated(text))).includes("hunter2"));
    });
  }
}

test("the group has one name in each dialect, and no class of versions switches it on", () => {
  for (const dialect of ["orch", "kubernetes"] as const) {
    const served = (...runtimeConfig: readonly string[]): boolean =>
      loadCatalog(createNaming(dialect), { runtimeConfig }).resource("sets.orch", "v1alpha1", "sets") !== undefined;
    assert.equal(served(), false);
    assert.equal(served("api/all=true"), false);
    assert.equal(served("api/alpha=true"), false);
    assert.equal(served("sets.orch/v1alpha1=true"), true);
    assert.equal(served("api/all=true", "sets.orch/v1alpha1=true"), true);
  }
});
