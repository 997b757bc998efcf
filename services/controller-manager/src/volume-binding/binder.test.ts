import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { createGroups } from "../rim/groups.js";
import { createWrittenCopies } from "../rim/written-copies.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { createBinderController } from "./binder-controller.js";
import type { Claim, Volume } from "./types.js";

const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "" };
const volumeSpec = {
  accessModes: ["ReadWriteOnce"],
  capacity: { storage: "2Gi" },
  persistentVolumeReclaimPolicy: "Retain",
};

function setup() {
  const server = createMemoryServer();
  const tools = memoryTools(server, createNaming("kubernetes"));
  return {
    server,
    tools,
    controller: createBinderController({ periodMs: 3_600_000, provisions: true }, tools),
    claim: (name: string): Claim | undefined => server.at(`persistentvolumeclaims/ns/${name}`),
    volume: (name: string): Volume | undefined => server.at(`persistentvolumes/${name}`),
    put: (name: string, more: object = {}) => server.put(`persistentvolumeclaims/ns/${name}`, { spec, ...more }),
    putVolume: (name: string, more: object = {}) =>
      server.put(`persistentvolumes/${name}`, { spec: { ...volumeSpec, ...more } }),
    of: (kind: string) => server.writes.filter((write) => write.includes(` ${kind}/`)),
  };
}

test("a claim and a volume are bound by four writes, and released when the claim goes", async (t) => {
  const { server, controller, claim, volume, put, putVolume, of } = setup();
  putVolume("v");
  runController(t, controller);
  await until(() => volume("v")?.status?.phase === "Available", "the volume is available");
  put("c");
  await until(() => claim("c")?.status?.phase === "Bound", "the claim is bound");
  assert.equal(claim("c")?.spec?.volumeName, "v");
  assert.deepEqual(claim("c")?.status?.capacity, { storage: "2Gi" });
  assert.deepEqual(Object.keys(claim("c")?.metadata.annotations ?? {}).sort(), [
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
  ]);
  const { name, uid } = volume("v")?.spec?.claimRef ?? {};
  assert.deepEqual([name, uid, volume("v")?.status?.phase], ["c", "uid-c", "Bound"]);
  assert.equal(of("persistentvolumes").length, 3);
  assert.equal(of("persistentvolumeclaims").length, 2);
  server.remove("persistentvolumeclaims/ns/c");
  await until(() => volume("v")?.status?.phase === "Released", "the volume is released");
});

test("of claims that come at once each gets a volume of its own", async (t) => {
  const { controller, claim, put, putVolume, tools } = setup();
  const names = ["a", "b", "c", "d"];
  for (const name of names) putVolume(`v-${name}`);
  for (const name of names) put(name);
  runController(t, controller);
  await until(() => names.every((name) => claim(name)?.status?.phase === "Bound"), "all are bound");
  assert.equal(new Set(names.map((name) => claim(name)?.spec?.volumeName)).size, 4);
  assert.equal(tools.failures(), 0);
});

test("a binding that stopped half way goes on", async (t) => {
  const { server, controller, claim, put, putVolume } = setup();
  putVolume("small");
  putVolume("v", { capacity: { storage: "9Gi" } });
  server.failOnce("update persistentvolumeclaims/ns/c", new ApiError("ServiceUnavailable", "away"));
  runController(t, controller);
  put("c");
  await until(() => claim("c")?.status?.phase === "Bound", "the claim is bound");
  assert.equal(claim("c")?.spec?.volumeName, "small");
});

test("a claim gets the class that becomes the usual one, and its provisioner is told", async (t) => {
  const { server, controller, claim } = setup();
  const { storageClassName: _class, ...silent } = spec;
  server.put("persistentvolumeclaims/ns/c", { spec: silent });
  runController(t, controller);
  await until(() => claim("c")?.status?.phase === "Pending", "it is pending");
  server.put("storageclasses/fast", {
    provisioner: "example.com/disks",
    metadata: { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  });
  const told = () => claim("c")?.metadata.annotations?.["volume.kubernetes.io/storage-provisioner"];
  await until(() => told() === "example.com/disks", "the provisioner is told");
  assert.equal(claim("c")?.spec?.storageClassName, "fast");
});

test("a volume of a claim with another volume is free again, or set aside where somebody chose it", async (t) => {
  const { server, controller, volume, putVolume } = setup();
  const bound = { "pv.kubernetes.io/bind-completed": "yes" };
  const claimRef = { namespace: "ns", name: "c", uid: "uid-c" };
  putVolume("v", { claimRef });
  server.put("persistentvolumes/chosen", {
    metadata: { annotations: { "pv.kubernetes.io/bound-by-controller": "yes" } },
    spec: { ...volumeSpec, claimRef },
  });
  putVolume("w", { claimRef });
  server.put("persistentvolumeclaims/ns/c", { metadata: { annotations: bound }, spec: { ...spec, volumeName: "w" } });
  runController(t, controller);
  await until(() => volume("v")?.status?.phase === "Available", "v is available");
  await until(() => volume("chosen")?.status?.phase === "Available", "chosen is available");
  assert.deepEqual(volume("v")?.spec?.claimRef, { namespace: "ns", name: "c" });
  assert.equal(volume("chosen")?.spec?.claimRef, undefined);
  assert.equal(volume("w")?.spec?.claimRef?.uid, "uid-c");
});

test("what was written holds until the store shows something new", () => {
  const store = new Map<string, { readonly metadata: { readonly resourceVersion: string } }>();
  const at = (resourceVersion: string) => ({ metadata: { resourceVersion } });
  const copies = createWrittenCopies(store);
  store.set("k", at("1"));
  copies.wrote("k", at("1"), at("2"));
  copies.wrote("k", at("2"), at("3"));
  assert.deepEqual(copies.get("k"), at("3"));
  store.set("k", at("2"));
  assert.deepEqual(copies.get("k"), at("3"));
  store.set("k", at("4"));
  assert.deepEqual(copies.get("k"), at("4"));
  copies.wrote("k", at("4"), at("5"));
  store.delete("k");
  assert.equal(copies.get("k"), undefined);
});

test("an object is in one group at a time", () => {
  const groups = createGroups();
  groups.place("a", "x");
  groups.place("b", "x");
  groups.place("a", "y");
  assert.deepEqual([[...groups.in("x")], [...groups.in("y")]], [["b"], ["a"]]);
  groups.place("a", undefined);
  assert.deepEqual([...groups.in("y")], []);
});
