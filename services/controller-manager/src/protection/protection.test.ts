import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, type Dialect } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { createAttributesProtectionController } from "./attributes.js";
import { createClaimProtectionController } from "./claims.js";
import { claimsOf } from "./uses.js";
import { createVolumeProtectionController } from "./volumes.js";

const deletionTimestamp = "2025-01-01T00:00:00Z";
const claim = { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }], nodeName: "n" } };
const finalizer = "kubernetes.io/pvc-protection";
const going = { metadata: { deletionTimestamp, finalizers: ["example.com/other", finalizer] } };

function setup(dialect: Dialect = "kubernetes") {
  const server = createMemoryServer();
  const finalizersOf = (path: string): readonly unknown[] | undefined => {
    const finalizers = server.at(path)?.metadata["finalizers"];
    return Array.isArray(finalizers) ? finalizers : undefined;
  };
  return { ...server, tools: memoryTools(server, createNaming(dialect)), finalizersOf };
}
const claimPath = "persistentvolumeclaims/ns/c";

test("a claim that is to go keeps its finalizer until the last pod that uses it has gone", async (t) => {
  const { put, remove, tools, finalizersOf, writes } = setup();
  put("pods/ns/one", claim);
  put("pods/ns/two", claim);
  put(claimPath, going);
  put("persistentvolumeclaims/other/free", going);
  runController(t, createClaimProtectionController(tools));
  // Of another namespace, where nobody uses it.
  await until(() => finalizersOf("persistentvolumeclaims/other/free")?.length === 1, "the free claim is let go");
  remove("pods/ns/one");
  put("pods/ns/two", { ...claim, metadata: { labels: { a: "b" } } });
  assert.deepEqual(writes, ["update persistentvolumeclaims/other/free"]);
  remove("pods/ns/two");
  await until(() => finalizersOf(claimPath)?.length === 1, "the claim is let go");
  assert.deepEqual(finalizersOf(claimPath), ["example.com/other"]);
});

test("a claim of a pod that has ended is let go", async (t) => {
  const { put, tools, finalizersOf } = setup();
  put("pods/ns/one", claim);
  put(claimPath, going);
  runController(t, createClaimProtectionController(tools));
  put("pods/ns/one", { ...claim, status: { phase: "Succeeded" } });
  await until(() => finalizersOf(claimPath)?.length === 1, "the claim is let go");
});

test("a claim without the finalizer gets it", async (t) => {
  const { put, tools, finalizersOf } = setup("orch");
  put(claimPath, { metadata: { finalizers: ["example.com/other"] } });
  runController(t, createClaimProtectionController(tools));
  await until(() => finalizersOf(claimPath)?.length === 2, "the claim is protected");
  assert.deepEqual(finalizersOf(claimPath), ["example.com/other", "orch/pvc-protection"]);
});

test("a claim that somebody changes meanwhile is looked at again", async (t) => {
  const { put, tools, finalizersOf, failOnce } = setup();
  put(claimPath, going);
  failOnce(`update ${claimPath}`, new ApiError("Conflict", "another version"));
  runController(t, createClaimProtectionController(tools));
  await until(() => finalizersOf(claimPath)?.length === 1, "the claim is let go");
  assert.equal(tools.failures(), 1);
});

test("a volume stays while it is bound", async (t) => {
  const { put, tools, finalizersOf } = setup();
  const volume = (phase: string) => ({
    metadata: { deletionTimestamp, finalizers: ["kubernetes.io/pv-protection"] },
    status: { phase },
  });
  put("persistentvolumes/bound", volume("Bound"));
  put("persistentvolumes/free", volume("Available"));
  runController(t, createVolumeProtectionController(tools));
  await until(() => finalizersOf("persistentvolumes/free")?.length === 0, "the free volume is let go");
  assert.equal(finalizersOf("persistentvolumes/bound")?.length, 1);
  put("persistentvolumes/bound", volume("Released"));
  await until(() => finalizersOf("persistentvolumes/bound")?.length === 0, "the volume is let go");
});

const volumes = claim.spec.volumes;
const uses: readonly (readonly [what: string, pod: object, claims: readonly string[]])[] = [
  ["on a node", { spec: { nodeName: "n", volumes } }, ["c"]],
  ["without a node", { spec: { volumes } }, []],
  ["that has failed", { spec: { nodeName: "n", volumes }, status: { phase: "Failed" } }, []],
  ["with a volume of its own", { spec: { nodeName: "n", volumes: [{ name: "v", ephemeral: {} }] } }, ["p-v"]],
  ["with other volumes", { spec: { nodeName: "n", volumes: [{ name: "v", emptyDir: {} }] } }, []],
];
for (const [what, pod, claims] of uses) {
  test(`a pod ${what} holds [${claims}]`, () =>
    assert.deepEqual(claimsOf({ metadata: { name: "p" }, ...pod }), claims));
}

test("a class of attributes gets its finalizer, and keeps it while a claim or a volume has the class", async (t) => {
  const { put, remove, tools, finalizersOf } = setup();
  const path = (name: string) => `volumeattributesclasses/${name}`;
  const leaving = { metadata: { deletionTimestamp, finalizers: ["kubernetes.io/vac-protection"] } };
  put(path("new"));
  put("persistentvolumes/v", { spec: { volumeAttributesClassName: "of-volume" } });
  put("persistentvolumeclaims/ns/c", {
    spec: { volumeAttributesClassName: "wanted" },
    status: {
      currentVolumeAttributesClassName: "current",
      modifyVolumeStatus: { targetVolumeAttributesClassName: "target" },
    },
  });
  for (const name of ["of-volume", "wanted", "current", "target", "free"]) put(path(name), leaving);
  runController(t, createAttributesProtectionController(tools));
  await until(() => finalizersOf(path("new"))?.[0] === "kubernetes.io/vac-protection", "a new class is protected");
  await until(() => finalizersOf(path("free"))?.length === 0, "what nobody has is let go");
  for (const name of ["of-volume", "wanted", "current", "target"])
    assert.equal(finalizersOf(path(name))?.length, 1, name);
  put("persistentvolumeclaims/ns/c", { spec: { volumeAttributesClassName: "wanted" } });
  await until(() => finalizersOf(path("current"))?.length === 0, "what a claim had is let go");
  await until(() => finalizersOf(path("target"))?.length === 0, "what it was to be given is, too");
  remove("persistentvolumes/v");
  await until(() => finalizersOf(path("of-volume"))?.length === 0, "what a volume had is let go with it");
  assert.equal(finalizersOf(path("wanted"))?.length, 1);
});
