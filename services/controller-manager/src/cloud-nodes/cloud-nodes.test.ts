import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import type { CloudConfig } from "../clouds/cloud-settings.js";
import type { Made } from "../controller.js";
import type { SeenNode } from "../seen/node.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { decideAddresses, initialized } from "./decide-node.js";
import { createCloudLifecycleController } from "./lifecycle-controller.js";
import { createCloudNodeController } from "./node-controller.js";

const naming = createNaming("kubernetes");
const uninitialized = { key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" };
const shutdown = "node.cloudprovider.kubernetes.io/shutdown";
const head = "apiVersion: simulatedcloud.config.k8s.io/v1\nkind: SimulatedCloudConfiguration\n";
const config = (file: () => string): CloudConfig => ({
  ...{ provider: { ranges: [], file }, serviceWorkers: 1, monitorMs: 10, routes: undefined },
});

function start(t: TestContext, made: Made): void {
  assert.ok("run" in made);
  runController(t, made);
}
const ready = (status: string) => ({ conditions: [{ type: "Ready", status }] });

test("a new node is told what it is in the cloud, and then takes pods", async (t) => {
  const server = createMemoryServer();
  const other = { key: "other", effect: "NoSchedule" };
  server.put("nodes/a", { spec: { taints: [uninitialized, other] }, status: ready("True") });
  server.put("nodes/b", { spec: { providerID: "simulated://before", taints: [uninitialized] } });
  server.put("nodes/c", { spec: { taints: [other] } });
  const file = `${head}region: r\nzones: [z]\ninstances: [{name: a, type: large, addresses: [{address: 192.0.2.1}], labels: {x: z, node.kubernetes.io/z: "no"}}]\n`;
  const tools = memoryTools(server, naming);
  server.failOnce("patch nodes/a", new ApiError("ServiceUnavailable", "later"));
  start(
    t,
    createCloudNodeController(
      config(() => file),
      { workers: 1, periodMs: 60_000 },
      tools,
    ),
  );
  const at = (name: string): SeenNode | undefined => server.at(`nodes/${name}`);
  await until(() => at("a")?.spec?.taints?.length === 1 && at("b")?.spec?.taints?.length === 0, "both are initialized");
  assert.deepEqual(at("a")?.spec, { providerID: "simulated://a", taints: [other] });
  assert.deepEqual(at("a")?.metadata.labels, {
    x: "z",
    "beta.kubernetes.io/instance-type": "large",
    "node.kubernetes.io/instance-type": "large",
    "failure-domain.beta.kubernetes.io/zone": "z",
    "topology.kubernetes.io/zone": "z",
    "failure-domain.beta.kubernetes.io/region": "r",
    "topology.kubernetes.io/region": "r",
  });
  assert.deepEqual(at("a")?.status?.addresses, [{ type: "InternalIP", address: "192.0.2.1" }]);
  assert.deepEqual(at("a")?.status?.conditions, ready("True").conditions);
  assert.equal(at("b")?.spec?.providerID, "simulated://before");
  assert.deepEqual(
    server.writes.filter((write) => write.endsWith("nodes/c")),
    [],
  );
});

test("the addresses of nodes are asked for again, and those of a machine that is gone stay", async (t) => {
  const server = createMemoryServer();
  for (const name of ["a", "gone"]) server.put(`nodes/${name}`, { status: { addresses: [] } });
  const file = `${head}instances: [{name: a, addresses: [{address: 192.0.2.3}]}, {name: gone, state: Gone}]\n`;
  const tools = memoryTools(server, naming);
  start(
    t,
    createCloudNodeController(
      config(() => file),
      { workers: 1, periodMs: 5 },
      tools,
    ),
  );
  const addresses = (node: SeenNode | undefined) => node?.status?.addresses?.map(({ address }) => address);
  await until(() => addresses(server.at("nodes/a"))?.[0] === "192.0.2.3", "the address is written");
  assert.deepEqual(addresses(server.at("nodes/gone")), []);
  assert.equal(tools.failures(), 0);
});

test("a node that says nothing goes with its machine, and is marked while that stands still", async (t) => {
  const server = createMemoryServer();
  server.put("nodes/speaks", { status: ready("True"), spec: { taints: [{ key: shutdown, effect: "NoSchedule" }] } });
  server.put("nodes/still", { status: ready("Unknown") });
  server.put("nodes/gone", { status: ready("False") });
  server.put("nodes/there", { status: ready("False") });
  let file = `${head}instances: [{name: speaks, state: Gone}, {name: still, state: ShutDown}]\n`;
  const tools = memoryTools(server, naming);
  start(
    t,
    createCloudLifecycleController(
      config(() => file),
      tools,
    ),
  );
  const taintsOf = (node: SeenNode | undefined) => node?.spec?.taints?.map(({ key }) => key);
  await until(() => taintsOf(server.at("nodes/still"))?.[0] === shutdown, "the taint is there");
  await until(() => taintsOf(server.at("nodes/speaks"))?.length === 0, "the taint is gone");
  // A slip in the file: nobody knows what there is, and nobody goes.
  file = "instances: [";
  await until(() => tools.failures() > 3, "the cloud cannot be asked");
  assert.ok(server.at("nodes/gone") !== undefined);
  file = `${head}instances: [{name: gone, state: Gone}]\n`;
  await until(() => server.at("nodes/gone") === undefined, "the node is deleted");
  assert.ok(server.at("nodes/there") !== undefined && server.at("nodes/speaks") !== undefined);
});

const instance = {
  providerId: "x://n",
  type: "",
  labels: {},
  addresses: [{ type: "InternalIP", address: "192.0.2.1" }],
};

test("the address that an agent was started with has to be the cloud's, and comes first", () => {
  const annotations = { "alpha.kubernetes.io/provided-node-ip": "192.0.2.2" };
  const told: SeenNode = { metadata: { name: "n", annotations } };
  assert.deepEqual(decideAddresses(told, instance, naming), {
    ok: false,
    problem: "failed to get node address from cloud provider that matches ip: 192.0.2.2",
  });
  const second = { type: "InternalIP", address: "192.0.2.2" };
  const both = { ...instance, addresses: [...instance.addresses, second] };
  const addresses = [second, ...instance.addresses];
  assert.deepEqual(decideAddresses(told, both, naming), { ok: true, addresses });
  assert.deepEqual(decideAddresses({ ...told, status: { addresses } }, both, naming), {
    ok: true,
    addresses: undefined,
  });
});

test("the name that an agent told stays where the cloud has none, and no address is no answer", () => {
  const hostname = { type: "Hostname", address: "n" };
  const node: SeenNode = { metadata: { name: "n" }, status: { addresses: [hostname] } };
  assert.deepEqual(decideAddresses(node, instance, naming), { ok: true, addresses: [...instance.addresses, hostname] });
  assert.deepEqual(decideAddresses(node, { ...instance, addresses: [] }, naming), { ok: true, addresses: undefined });
});

test("a cloud without types and zones gives no labels of them", () => {
  const node: SeenNode = { metadata: { name: "n" } };
  assert.deepEqual(initialized(node, { instance, zone: undefined }, naming).metadata.labels, {});
});
