import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { type ApiObject, type Collection, isRecord } from "@orch/client/objects.js";
import { type Process, startProcess } from "@orch/deploy/process.js";
import { programs } from "./command-line-program.js";
import { startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";
import { writeWhole } from "./harness/whole-file.js";

const core = (resource: string, namespace?: string): Collection => ({
  ...{ group: "", version: "v1", resource },
  ...(namespace === undefined ? {} : { namespace }),
});
const nodes = core("nodes");
const services = core("services", "default");
const fieldOf = (object: ApiObject | undefined, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);
const head = "apiVersion: simulatedcloud.config.k8s.io/v1\nkind: SimulatedCloudConfiguration\n";
const moving = `apiVersion: controllermanager.config.k8s.io/v1
kind: LeaderMigrationConfiguration
leaderName: moving
controllerLeaders: [{name: service-lb-controller, component: cloud-controller-manager}]
`;

describe("a cloud controller manager beside a server", () => {
  let target: Target | undefined;
  let running: Client | undefined;
  let manager: Process | undefined;
  let folder = "";
  const on = () => {
    if (target === undefined || running === undefined) throw new Error("not running");
    return { naming: target.naming, client: running };
  };
  const saysOfMachines = (text: string): Promise<void> => writeWhole(join(folder, "cloud.yaml"), head + text);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-cloud-"));
    await saysOfMachines("instances: [{name: machine, type: large, zone: here, addresses: [{address: 192.0.2.77}]}]\n");
    await writeFile(join(folder, "moving.yaml"), moving);
    const addresses = ["--allocate-node-cidrs", "--cluster-cidr=10.5.0.0/16"];
    const grace = ["--node-monitor-grace-period=2s", "--node-startup-grace-period=2s", "--node-monitor-period=500ms"];
    target = await startStandalone({ args: ["--controllers=*", "--cloud-provider=external", ...addresses, ...grace] });
    running = createClient(await readClientConfig(target.clientConfig));
    const args = [
      ...["cloud-controller-manager", `--orchconfig=${target.clientConfig}`, "--metrics-port=0"],
      ...[`--api-dialect=${target.naming.dialect}`, "--use-service-account-credentials"],
      ...["--cloud-provider=simulated", `--cloud-config=${join(folder, "cloud.yaml")}`, ...addresses],
      ...["--node-monitor-period=200ms", "--route-reconciliation-period=200ms"],
      ...["--enable-leader-migration", `--leader-migration-config=${join(folder, "moving.yaml")}`],
    ];
    manager = await startProcess({
      name: "cloud-controller-manager",
      script: programs.orch,
      args,
      sameAgain: () => [],
    });
  });
  after(async () => {
    await manager?.stop();
    await running?.close();
    await target?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("a new node is told what it is, gets a route, and goes with its machine", async () => {
    const { client, naming } = on();
    const taint = { key: `node.cloudprovider.${naming.key("uninitialized")}`, value: "true", effect: "NoSchedule" };
    const metadata = { name: "machine" };
    await client.create(nodes, { apiVersion: "v1", kind: "Node", metadata, spec: { taints: [taint] } });
    const seen = await until("the node has a route", async () => {
      const node = await client.get(nodes, "machine");
      const conditions = fieldOf(node, "status.conditions");
      const found = Array.isArray(conditions)
        ? conditions.find(({ type }) => type === "NetworkUnavailable")
        : undefined;
      return found?.reason === "RouteCreated" && fieldOf(node, "spec.providerID") !== undefined ? node : undefined;
    });
    assert.equal(fieldOf(seen, "spec.providerID"), "simulated://machine");
    assert.equal(seen.metadata.labels?.[`topology.${naming.key("zone")}`], "here");
    assert.equal(seen.metadata.labels?.[`node.${naming.key("instance-type")}`], "large");
    assert.deepEqual(fieldOf(seen, "status.addresses"), [{ type: "InternalIP", address: "192.0.2.77" }]);
    assert.doesNotMatch(JSON.stringify(fieldOf(seen, "spec.taints") ?? []), /uninitialized/);
    await saysOfMachines("instances: [{name: machine, state: ShutDown}]\n");
    await until("the node says that its machine stands still", async () =>
      JSON.stringify(fieldOf(await client.get(nodes, "machine"), "spec.taints") ?? []).includes("cloudprovider")
        ? true
        : undefined,
    );
    await saysOfMachines("instances: [{name: machine, state: Gone}]\n");
    await until("the node is gone", async () => ((await client.list(nodes)).items.length === 0 ? true : undefined));
  });

  test("a service gets a balancer, from whoever has the lease of controllers that move", async () => {
    const { client, naming } = on();
    const spec = { type: "LoadBalancer", ports: [{ port: 80 }] };
    await client.create(services, { apiVersion: "v1", kind: "Service", metadata: { name: "balanced" }, spec });
    await until("an address", async () => {
      const ingress = fieldOf(await client.get(services, "balanced"), "status.loadBalancer.ingress");
      return Array.isArray(ingress) && ingress.length === 1 ? true : undefined;
    });
    const group = naming.group("coordination");
    const leases = { group, version: "v1", resource: "leases", namespace: naming.systemName("system") };
    const holders = await Promise.all(["cloud-controller-manager", "moving"].map((name) => client.get(leases, name)));
    const [own, shared] = holders.map((lease) => fieldOf(lease, "spec.holderIdentity"));
    assert.ok(typeof own === "string" && own !== "");
    assert.equal(shared, own);
  });

  test("asked to stop it gives both leases back", async () => {
    const { client, naming } = on();
    assert.equal(await manager?.stop(), 0);
    const group = naming.group("coordination");
    const leases = { group, version: "v1", resource: "leases", namespace: naming.systemName("system") };
    for (const name of ["cloud-controller-manager", "moving"]) {
      assert.ok(!fieldOf(await client.get(leases, name), "spec.holderIdentity"), name);
    }
  });
});
