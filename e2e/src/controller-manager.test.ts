import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Process } from "@orch/deploy/process.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { connect, type Http } from "./harness/http.js";
import { freshMaps, freshNamespace } from "./harness/manifests.js";
import { metricOf } from "./harness/metrics.js";
import { type DistributedTarget, startDistributed, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

const leaseOf = ({ naming }: DistributedTarget): string =>
  `/apis/${naming.group("coordination")}/v1/namespaces/${naming.systemName("system")}/leases/${naming.systemName("controller-manager")}`;

/** Owner and dependent: the dependent goes only where somebody collects. */
async function collects(http: Http): Promise<void> {
  const maps = await freshMaps(http);
  const owner = await maps.create("owner");
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid };
  await http.post(maps.path(), { metadata: { name: "child", ownerReferences: [reference] } });
  await maps.remove("owner");
  await until("the dependent is collected", async () =>
    (await http.get(maps.path("child"))).status === 404 ? true : undefined,
  );
}

describe("two controller managers", { skip: etcdMissing() ?? false }, () => {
  let target: DistributedTarget | undefined;
  let http: Http | undefined;
  const on = (): { readonly target: DistributedTarget; readonly http: Http } => {
    if (target === undefined || http === undefined) throw new Error("not running");
    return { target, http };
  };
  before(async () => {
    target = await startDistributed({
      // Short, so that the test is; the order of the three is what matters.
      controllerArgs: [
        "--leader-elect-lease-duration=8s",
        "--leader-elect-renew-deadline=6s",
        "--leader-elect-retry-period=500ms",
      ],
    });
    http = connect(target);
  });
  after(async () => {
    http?.close();
    await target?.stop();
  });
  const leads = async (manager: Process): Promise<boolean> =>
    (await metricOf(on().target.cluster, manager, "leader_election_master_status\\{.*\\}")) === 1;
  const leaders = async (): Promise<readonly Process[]> => {
    const { controllerManagers } = on().target.cluster;
    const flags = await Promise.all(controllerManagers.map((manager) => leads(manager).catch(() => false)));
    return controllerManagers.filter((_, i) => flags[i]);
  };
  const oneLeader = (): Promise<Process> =>
    until("one of them leads", async () => {
      const [leader, ...others] = await leaders();
      if (others.length === 0) return leader;
      // The two were asked at different moments, between which one may have followed the other.
      assert.ok((await leaders()).length < 2, "two of them lead");
      return undefined;
    });

  test("one leads, the lease says which, and both are well", async () => {
    const leader = await oneLeader();
    const lease = (await on().http.get(leaseOf(on().target))).object();
    assert.match(leader.log(), new RegExp(String(Object(lease["spec"]).holderIdentity)));
    const { cluster } = on().target;
    for (const manager of cluster.controllerManagers) {
      for (const path of ["/healthz", "/readyz"]) assert.equal((await cluster.ask(manager, path)).status, 200, path);
    }
    await collects(on().http);
  });

  test("when the leader is killed the other takes over, and the first stands by when it is back", async () => {
    const { http } = on();
    const leader = await oneLeader();
    await leader.kill();
    await collects(http);
    const other = await oneLeader();
    assert.notEqual(other, leader);
    await leader.restart();
    await collects(http);
    assert.equal(await oneLeader(), other);
  });

  test("a leader that is asked to stop gives the lease back at once", async () => {
    const { http, target } = on();
    const leader = await oneLeader();
    assert.equal(await leader.stop(), 0);
    const holder = String(Object((await http.get(leaseOf(target))).object()["spec"]).holderIdentity);
    assert.ok(holder === "undefined" || !leader.log().includes(`"identity":"${holder}"`), holder);
    await collects(http);
    await leader.restart();
  });

  test("when the gateway of the leader is killed the other takes over through another gateway", async () => {
    const { target } = on();
    const leader = await oneLeader();
    const { controllerManagers, gateways } = target.cluster;
    const at = controllerManagers.indexOf(leader);
    const [gateway, other] = [gateways[at], controllerManagers[1 - at]];
    const left = connect(target, { gateway: 1 - at });
    await gateway?.kill();
    await collects(left);
    left.close();
    assert.equal(await oneLeader(), other);
    await gateway?.restart();
    await other?.stop();
    await until("the first leads again", async () => ((await leaders())[0] === leader ? true : undefined));
    await collects(on().http);
    await other?.restart();
  });

  test("what was left half-done by the one before is finished", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => http.post(maps, { metadata: { name: `m${i}`, finalizers: [] } })),
    );
    const leader = await oneLeader();
    await http.delete(`/api/v1/namespaces/${namespace}`);
    await leader.kill();
    await until("the namespace is gone", async () =>
      (await http.get(`/api/v1/namespaces/${namespace}`)).status === 404 ? true : undefined,
    );
    await leader.restart();
  });
});

test("a server whose list of controllers is empty runs none, one that names an unknown one does not start", async () => {
  const target = await startStandalone({ args: ["--secure-port=0", "--controllers="] });
  const http = connect(target);
  try {
    const maps = await freshMaps(http);
    const reference = {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "never",
      uid: "00000000-0000-4000-8000-000000000001",
    };
    await http.post(maps.path(), { metadata: { name: "child", ownerReferences: [reference] } });
    const text = (await http.get("/metrics")).text;
    assert.doesNotMatch(text, /^workqueue_/m);
    assert.equal((await http.get(maps.path("child"))).status, 200);
    assert.equal((await http.get("/api/v1/serviceaccounts")).items().length, 0);
  } finally {
    http.close();
    await target.stop();
  }
  await assert.rejects(
    startStandalone({ args: ["--secure-port=0", "--controllers=*,-nope"] }),
    /--controllers: "nope" is not in the list of known controllers/,
  );
});
