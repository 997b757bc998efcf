import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLinear } from "@orch/status/testing/growth.js";
import { withOwnersOnce } from "./owner-references.js";

const objectOf = (count: number, uid: (i: number) => string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "c",
    ownerReferences: Array.from({ length: count }, (_, i) => ({
      apiVersion: "v1",
      kind: "Pod",
      name: "p",
      uid: uid(i),
    })),
  },
});

test("twenty thousand owners are told apart in one go", () => {
  assertLinear(4000, (n) => {
    const said = { object: objectOf(n, (i) => `u${i}`), warnings: [] };
    return () => assert.equal(withOwnersOnce(said), said);
  });
});

test("owners are the same whatever the order of their fields, and the warning names twenty of them", () => {
  const { metadata, ...rest } = objectOf(60, (i) => `u${i % 30}`);
  const turned = { uid: "u0", name: "p", kind: "Pod", apiVersion: "v1" };
  const object = { ...rest, metadata: { ...metadata, ownerReferences: [...metadata.ownerReferences, turned] } };
  const { object: once, warnings } = withOwnersOnce({ object, warnings: [] });
  assert.deepEqual(once.metadata.ownerReferences, metadata.ownerReferences.slice(0, 30));
  assert.match(warnings.join(), /observed: u0, u1, .*, u19, and 10 more$/);
});
