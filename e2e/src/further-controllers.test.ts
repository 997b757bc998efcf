import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
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

/** Volumes, devices and tokens, as controllers and the scheduler care for them. */
describe("claims of volumes and devices, unused tokens", () => {
  let target: Target | undefined;
  let running: Client | undefined;
  const on = () => {
    if (target === undefined || running === undefined) throw new Error("not running");
    return { naming: target.naming, client: running };
  };
  before(async () => {
    const group = createNaming("kubernetes").group("resource");
    const args = [
      ...["--controllers=*", "--simulate-nodes=2", "--pod-grace=100ms", "--pvclaimbinder-sync-period=500ms"],
      ...["--feature-gates=DynamicResourceAllocation=true", `--runtime-config=${group}/v1beta1=true`],
      ...["--legacy-service-account-token-clean-up-period=0s", "--cloud-provider=simulated"],
      "--simulated-load-balancer-ranges=192.0.2.0/30",
    ];
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
        ...{ capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] },
        ...("csi" in spec ? {} : { hostPath: { path: "/data" } }),
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
    // It is held up as long as it is used, unless somebody takes it away by force.
    await client.delete(volumes, "asked-for");
    await client.patch(volumes, "asked-for", {
      ...{ type: "application/merge-patch+json", body: { metadata: { finalizers: null } } },
    });
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

  test("a driver's volume is attached to the node of its pod, detached after it, and told who makes it grow", async () => {
    const { client, naming } = on();
    const merge = "application/merge-patch+json";
    const driver = "disks.example.com";
    await createClass("grows", { provisioner: driver, allowVolumeExpansion: true });
    await createVolume("disk", { storageClassName: "grows", csi: { driver, volumeHandle: "vol-1" } });
    await createClaim("on-disk", { storageClassName: "grows" });
    await inPhase(claims, "on-disk", "Bound");
    const managed = { [`volumes.${naming.key("controller-managed-attach-detach")}`]: "true" };
    for (const node of ["node-0", "node-1"]) {
      await client.patch(nodes, node, { type: merge, body: { metadata: { annotations: managed } } });
    }
    const podOn = (name: string, nodeName: string) =>
      client.create(pods, {
        ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" } },
        spec: {
          ...{ nodeName, containers: [{ name: "c", image: "i" }] },
          volumes: [{ name: "v", persistentVolumeClaim: { claimName: "on-disk" } }],
        },
      });
    await podOn("writer", "node-0");
    const attachments = storage("volumeattachments");
    const attachment = await until("an attachment", async () => (await client.list(attachments)).items[0]);
    assert.deepEqual(attachment["spec"], {
      ...{ attacher: driver, nodeName: "node-0", source: { persistentVolumeName: "disk" } },
    });
    const { name: key = "" } = attachment.metadata;
    await client.patch(attachments, key, { type: merge, body: { status: { attached: true } }, subresource: "status" });
    const attachedTo = (node: string, wanted: readonly object[]) =>
      until(`what is attached to ${node}`, async () => {
        const list = fieldOf(await client.get(nodes, node), "status.volumesAttached") ?? [];
        return JSON.stringify(list) === JSON.stringify(wanted) ? true : undefined;
      });
    await attachedTo("node-0", [{ name: naming.key(`csi/${driver}^vol-1`), devicePath: "" }]);
    await told("writer", "SuccessfulAttachVolume");
    await podOn("rival", "node-1");
    const refused = 'Multi-Attach error for volume "disk" Volume is already used by pod(s) writer';
    assert.equal(await told("rival", "FailedAttachVolume"), refused);
    await client.patch(claims, "on-disk", {
      ...{ type: merge, body: { spec: { resources: { requests: { storage: "2Gi" } } } } },
    });
    assert.equal(await told("on-disk", "ExternalExpanding"), "waiting for an external controller to expand this PVC");
    await client.delete(pods, "writer");
    await attachedTo("node-0", []);
    const next = await until("the volume moves", async () => {
      const { items } = await client.list(attachments);
      return items.length === 1 && fieldOf(items[0], "spec.nodeName") === "node-1" ? items[0] : undefined;
    });
    assert.notEqual(next.metadata.name, key);
    await client.delete(pods, "rival");
  });

  test("a service of the type LoadBalancer has an address of its own, and gives it back", async () => {
    const { client, naming } = on();
    const services = core("services", "default");
    const finalizer = `service.${naming.key("load-balancer-cleanup")}`;
    const createService = (name: string) =>
      client.create(services, {
        ...{ apiVersion: "v1", kind: "Service", metadata: { name, namespace: "default" } },
        spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
      });
    const withAddress = (name: string) =>
      until(`an address of ${name}`, async () => {
        const service = await client.get(services, name);
        return fieldOf(service, "status.loadBalancer.ingress") === undefined ? undefined : service;
      });
    await createService("front");
    const front = await withAddress("front");
    assert.deepEqual(fieldOf(front, "status.loadBalancer.ingress"), [{ ip: "192.0.2.1", ipMode: "VIP" }]);
    assert.deepEqual(front.metadata["finalizers"], [finalizer]);
    assert.equal(await told("front", "EnsuredLoadBalancer"), "Ensured load balancer");
    await createService("back");
    await withAddress("back");
    await createService("late");
    const problem = "failed to ensure load balancer: the simulated cloud has no IPv4 address left";
    assert.equal(await told("late", "SyncLoadBalancerFailed"), `Error syncing load balancer: ${problem}`);
    await client.delete(services, "back");
    await told("back", "DeletedLoadBalancer");
    assert.deepEqual(fieldOf(await withAddress("late"), "status.loadBalancer.ingress"), [
      { ip: "192.0.2.2", ipMode: "VIP" },
    ]);
    await client.patch(services, "front", {
      ...{ type: "application/merge-patch+json", body: { spec: { type: "ClusterIP" } } },
    });
    await until("no finalizer", async () => {
      const { metadata } = await client.get(services, "front");
      return metadata["finalizers"] === undefined ? true : undefined;
    });
    assert.equal(await told("front", "DeletingLoadBalancer"), "Deleting load balancer");
  });

  test("a pod has a claim made of its template, and the device goes back when the pod ends", async () => {
    const { client, naming } = on();
    const group = naming.group("resource");
    const apiVersion = `${group}/v1beta1`;
    const at = (resource: string, namespace?: string): Collection => ({
      ...core(resource, namespace),
      group,
      version: "v1beta1",
    });
    const requests = [{ name: "r", deviceClassName: "gpu" }];
    await client.create(at("deviceclasses"), { apiVersion, kind: "DeviceClass", metadata: { name: "gpu" }, spec: {} });
    await client.create(at("resourceslices"), {
      ...{ apiVersion, kind: "ResourceSlice", metadata: { name: "node-1" } },
      spec: {
        ...{ driver: "gpu.example.com", nodeName: "node-1" },
        pool: { name: "node-1", generation: 1, resourceSliceCount: 1 },
        devices: [{ name: "only", basic: {} }],
      },
    });
    const podWith = (name: string, template: string) =>
      client.create(pods, {
        ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" } },
        spec: {
          containers: [{ name: "c", image: "i" }],
          resourceClaims: [{ name: "gpu", resourceClaimTemplateName: template }],
        },
      });
    await podWith("renders", "one-gpu");
    const missing = `resourceclaimtemplate.${group} "one-gpu" not found`;
    assert.equal(
      await told("renders", "FailedResourceClaimCreation"),
      `PodResourceClaim gpu: resource claim template "one-gpu": ${missing}`,
    );
    await client.create(at("resourceclaimtemplates", "default"), {
      ...{ apiVersion, kind: "ResourceClaimTemplate", metadata: { name: "one-gpu", namespace: "default" } },
      spec: { metadata: { labels: { of: "template" } }, spec: { devices: { requests } } },
    });
    const pod = await inPhase(pods, "renders", "Running");
    assert.equal(fieldOf(pod, "spec.nodeName"), "node-1");
    const claimsOfDevices = at("resourceclaims", "default");
    const [claim, ...others] = (await client.list(claimsOfDevices)).items;
    assert.deepEqual(others, []);
    assert.match(claim?.metadata.name ?? "", /^renders-gpu-/);
    assert.deepEqual(claim?.metadata.labels, { of: "template" });
    assert.deepEqual(fieldOf(pod, "status.resourceClaimStatuses"), [
      { name: "gpu", resourceClaimName: claim?.metadata.name },
    ]);
    await podWith("next", "one-gpu");
    await client.patch(pods, "renders", {
      ...{ type: "application/merge-patch+json", subresource: "status" },
      body: { status: { phase: "Succeeded" } },
    });
    await inPhase(pods, "next", "Running");
    await until("the first claim is gone", async () => {
      const { items } = await client.list(claimsOfDevices);
      return items.every(({ metadata }) => metadata.name !== claim?.metadata.name) ? true : undefined;
    });
  });

  test("a token in a Secret is recorded when it is used, invalid when it is not, and deleted then", async () => {
    const { client, naming } = on();
    const merge = "application/merge-patch+json";
    const secrets = core("secrets", "default");
    const [lastUsed, invalidSince] = [naming.key("legacy-token-last-used"), naming.key("legacy-token-invalid-since")];
    await client.create(secrets, {
      ...{ apiVersion: "v1", kind: "Secret", type: naming.key("service-account-token") },
      metadata: {
        ...{ name: "old", namespace: "default" },
        annotations: { [naming.key("service-account.name")]: "default" },
      },
    });
    const token = await until("its token", async () => {
      const text = fieldOf(await client.get(secrets, "old"), "data.token");
      return typeof text === "string" && text !== "" ? Buffer.from(text, "base64").toString("utf8") : undefined;
    });
    const { certificate: _certificate, key: _key, ...config } = await readClientConfig(target?.clientConfig ?? "");
    const holder = createClient({ ...config, token });
    const ask = () => holder.raw({ method: "GET", path: "/api" });
    await ask();
    const labelled = (label: string) =>
      until(label, async () => (await client.get(secrets, "old")).metadata.labels?.[label]);
    assert.match(await labelled(lastUsed), /^2\d{3}-\d{2}-\d{2}$/);
    const tracking = `${naming.systemName("apiserver")}-legacy-service-account-token-tracking`;
    const maps = core("configmaps", naming.systemName("system"));
    await until("uses are recorded", () => client.get(maps, tracking).catch(() => undefined));
    // As it is after years: they were recorded all the time, and the token was not used.
    await client.patch(maps, tracking, { type: merge, body: { data: { since: "2020-01-01" } } });
    await client.patch(core("serviceaccounts", "default"), "default", {
      type: merge,
      body: { secrets: [{ name: "old" }] },
    });
    await client.patch(secrets, "old", { type: merge, body: { metadata: { labels: { [lastUsed]: "2020-01-02" } } } });
    await labelled(invalidSince);
    await until("the token is refused", () =>
      ask().then(
        () => undefined,
        (error: unknown) => error instanceof ApiError && error.reason === "Unauthorized",
      ),
    );
    await client.patch(secrets, "old", {
      type: merge,
      body: { metadata: { labels: { [invalidSince]: "2020-01-03" } } },
    });
    await until("the token is gone", () =>
      client.get(secrets, "old").then(
        () => undefined,
        (error: unknown) => error instanceof ApiError && error.reason === "NotFound",
      ),
    );
    await holder.close();
  });
});
