import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

const core = (resource: string, namespace?: string): Collection => ({
  ...{ group: "", version: "v1", resource },
  ...(namespace === undefined ? {} : { namespace }),
});
const volumes = core("persistentvolumes");
const claims = core("persistentvolumeclaims", "default");
const pods = core("pods", "default");
const nodes = core("nodes");

const fieldOf = (object: ApiObject | undefined, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);

/** Volumes, as controllers and the scheduler bind, attach and grow them. */
describe("storage", () => {
  let target: Target | undefined;
  let running: Client | undefined;
  const on = () => {
    if (target === undefined || running === undefined) throw new Error("not running");
    return { naming: target.naming, client: running };
  };
  before(async () => {
    const args = ["--controllers=*", "--simulate-nodes=2", "--pod-grace=100ms", "--pvclaimbinder-sync-period=500ms"];
    target = await startStandalone({ args });
    running = createClient(await readClientConfig(target.clientConfig));
    const { client } = on();
    await until("two nodes", async () => ((await client.list(nodes)).items.length === 2 ? true : undefined));
    const accounts = core("serviceaccounts", "default");
    await until("accounts of pods", () => client.get(accounts, "default").catch(() => undefined));
  });
  after(async () => {
    await running?.close();
    await target?.stop();
  });

  const storage = (resource: string): Collection => ({
    ...{ group: on().naming.group("storage"), version: "v1", resource },
  });
  const createVolume = (name: string, spec: object = {}) =>
    on().client.create(volumes, {
      ...{ apiVersion: "v1", kind: "PersistentVolume", metadata: { name } },
      spec: {
        ...{ capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } },
        ...spec,
      },
    });
  const createClaim = (name: string, spec: object = {}) =>
    on().client.create(claims, {
      ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, namespace: "default" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
    });
  const createClass = (name: string, fields: object, annotations: object = {}) =>
    on().client.create(storage("storageclasses"), {
      ...{ apiVersion: `${on().naming.group("storage")}/v1`, kind: "StorageClass" },
      metadata: { name, annotations: { ...annotations } },
      ...{ provisioner: "example.com/disks", ...fields },
    });
  const inPhase = (collection: Collection, name: string, phase: string) =>
    until(`${name} is ${phase}`, async () => {
      const object = await on().client.get(collection, name);
      return fieldOf(object, "status.phase") === phase ? object : undefined;
    });
  const told = (about: string, reason: string) =>
    until(`event ${reason} of ${about}`, async () => {
      const { items } = await on().client.list(core("events", "default"));
      const found = items.find(
        (event) => fieldOf(event, "involvedObject.name") === about && event["reason"] === reason,
      );
      return found === undefined ? undefined : String(found["message"]);
    });

  test("a claim has the smallest volume that will do, which is released with it", async () => {
    const { client, naming } = on();
    await createVolume("large", { capacity: { storage: "5Gi" }, storageClassName: "by-hand" });
    await createVolume("small", { capacity: { storage: "2Gi" }, storageClassName: "by-hand" });
    await inPhase(volumes, "large", "Available");
    await inPhase(volumes, "small", "Available");
    await createClaim("one", { storageClassName: "by-hand" });
    const claim = await inPhase(claims, "one", "Bound");
    assert.equal(fieldOf(claim, "spec.volumeName"), "small");
    assert.deepEqual(fieldOf(claim, "status.capacity"), { storage: "2Gi" });
    assert.equal(claim.metadata.annotations?.[`pv.${naming.key("bind-completed")}`], "yes");
    assert.equal(fieldOf(await inPhase(volumes, "small", "Bound"), "spec.claimRef.uid"), claim.metadata.uid);
    await createClaim("third", { storageClassName: "by-hand", resources: { requests: { storage: "9Gi" } } });
    assert.match(await told("third", "ProvisioningFailed"), /"by-hand" not found$/);
    await client.delete(claims, "one");
    await inPhase(volumes, "small", "Released");
    await inPhase(volumes, "large", "Available");
  });

  test("a claim and a volume that name each other are bound, and a claim whose volume goes is lost", async () => {
    const { client } = on();
    await createVolume("reserved", { claimRef: { namespace: "default", name: "owner" } });
    await createClaim("owner", { storageClassName: "" });
    await inPhase(claims, "owner", "Bound");
    await createVolume("asked-for");
    await createClaim("asks", { storageClassName: "", volumeName: "asked-for" });
    await inPhase(claims, "asks", "Bound");
    await createClaim("too-much", { storageClassName: "", volumeName: "later" });
    await createVolume("later", { capacity: { storage: "1Mi" } });
    const text = 'Cannot bind to requested volume "later": requested PV is too small';
    assert.equal(await told("too-much", "VolumeMismatch"), text);
    await client.patch(volumes, "asked-for", {
      type: "application/merge-patch+json",
      body: { metadata: { finalizers: null } },
    });
    await client.delete(volumes, "asked-for");
    await inPhase(claims, "asks", "Lost");
    await told("asks", "ClaimLost");
  });

  test("a volume that nobody can delete has failed", async () => {
    await createVolume("stays", { persistentVolumeReclaimPolicy: "Delete", storageClassName: "gone" });
    await createClaim("short-lived", { storageClassName: "gone" });
    await inPhase(claims, "short-lived", "Bound");
    await on().client.delete(claims, "short-lived");
    await inPhase(volumes, "stays", "Failed");
    assert.match(await told("stays", "VolumeFailedDelete"), /"stays": no deletable volume plugin matched$/);
  });

  test("a claim that waits for its first pod has a volume of the pod's node", async () => {
    const { client, naming } = on();
    const provisioner = naming.key("no-provisioner");
    await createClass("local", { provisioner, volumeBindingMode: "WaitForFirstConsumer" });
    const hostname = { key: naming.key("hostname"), operator: "In", values: ["node-1"] };
    const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions: [hostname] }] } };
    await createVolume("on-node-1", { storageClassName: "local", nodeAffinity });
    await inPhase(volumes, "on-node-1", "Available");
    await createClaim("waits", { storageClassName: "local" });
    await told("waits", "WaitForFirstConsumer");
    await client.create(pods, {
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "first", namespace: "default" } },
      spec: {
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "waits" } }],
      },
    });
    const pod = await inPhase(pods, "first", "Running");
    assert.equal(fieldOf(pod, "spec.nodeName"), "node-1");
    assert.equal(fieldOf(await inPhase(claims, "waits", "Bound"), "spec.volumeName"), "on-node-1");
    await client.delete(pods, "first");
  });

  test("a claim without a class gets the one that becomes the usual one, and its provisioner is asked", async () => {
    const { client, naming } = on();
    await createClaim("silent");
    await told("silent", "FailedBinding");
    await createClass("usual", {}, { [`storageclass.${naming.key("is-default-class")}`]: "true" });
    const claim = await until("its provisioner is asked", async () => {
      const found = await client.get(claims, "silent");
      const asked = found.metadata.annotations?.[`volume.${naming.key("storage-provisioner")}`];
      return asked === "example.com/disks" ? found : undefined;
    });
    assert.equal(fieldOf(claim, "spec.storageClassName"), "usual");
    assert.match(await told("silent", "ExternalProvisioning"), /external provisioner 'example.com\/disks'/);
  });
});
