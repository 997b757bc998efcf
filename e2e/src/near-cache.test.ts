import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createNaming } from "@orch/naming/naming.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { connect, type Http } from "./harness/http.js";
import { done } from "./harness/status.js";
import { type DistributedTarget, startDistributed, type Target } from "./harness/target.js";
import { until, untilInRow } from "./harness/until.js";
import { behaviour } from "./suite/behaviour.js";

/** Gateways that hold copies of all objects. */
async function startNear(): Promise<Target> {
  const target = await startDistributed({ args: ["--near-cache=*"] });
  return {
    ...target,
    // Their histories reach back further than the store's, and go with them.
    async forget() {
      await target.forget();
      for (const gateway of target.cluster.gateways) {
        await gateway.stop();
        await gateway.restart();
      }
    },
  };
}

behaviour("distributed, with near caches", { start: startNear, skip: etcdMissing() });

/** Watches that all members of etcd have, once their number stays the same. */
async function watchersOf({ cluster }: DistributedTarget): Promise<number> {
  let before = -1;
  let equal = 0;
  return until("etcd's watches to stay the same", async () => {
    let now = 0;
    for (const endpoint of cluster.etcd.endpoints) {
      const text = await (await fetch(new URL("/metrics", endpoint))).text();
      now += Number(/^etcd_debugging_mvcc_watcher_total (\d+)$/m.exec(text)?.[1] ?? "0");
    }
    equal = now === before && now > 0 ? equal + 1 : 0;
    before = now;
    // Watches come and go one by one: two looks may fall between them.
    if (equal >= 4) return now;
    await pause(300);
    return undefined;
  });
}

const maps = "/api/v1/namespaces/default/configmaps";
const named = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

describe("gateways with near caches", { skip: etcdMissing() ?? false }, () => {
  let target: DistributedTarget;
  let http: Http;
  before(async () => {
    const args = ["--near-cache=*", "--list-extensions=on"];
    target = await startDistributed({ args, controllerArgs: ["--controllers="] });
    http = connect(target);
    await until("a near cache in each gateway", () => {
      const loaded = target.cluster.gateways.every((each) => each.log().includes("answered by the near cache"));
      return loaded ? true : undefined;
    });
  });
  after(async () => {
    await http.close();
    await target.stop();
  });

  /** Gives somebody the right to see one namespace; what of all namespaces it may see by that, in a state that is kept. */
  async function permittedTo(name: string): Promise<() => Promise<readonly string[]>> {
    const apiGroup = target.naming.group("rbac.authorization");
    await done(
      http.post(`/apis/${apiGroup}/v1/namespaces/default/rolebindings`, {
        metadata: { name },
        roleRef: { apiGroup, kind: "ClusterRole", name: "view" },
        subjects: [{ apiGroup, kind: "User", name }],
      }),
    );
    const query = { scope: "permitted", resourceVersion: "0" };
    return async () => {
      const answer = await http.call({ path: "/api/v1/configmaps", query, as: { type: "user", name } });
      return answer.status === 200 ? answer.items().map(({ metadata }) => metadata.name ?? "") : [];
    };
  }

  test("etcd has no watch of theirs", async () => {
    const watchers = await watchersOf(target);
    for (const gateway of target.cluster.gateways) await gateway.stop();
    try {
      assert.equal(await watchersOf(target), watchers);
    } finally {
      for (const gateway of target.cluster.gateways) await gateway.restart();
    }
  });

  test("while all watch caches are away gateways answer from memory; watches go on when they are back", async () => {
    await until("gateways again", async () => ((await http.get("/readyz")).status === 200 ? true : undefined));
    assert.equal((await http.post(maps, named("before"))).status, 201);
    const seen = await permittedTo("bob");
    // Each gateway is to have heard of them before nobody tells it more.
    await untilInRow("bob's rights", async () => (await seen()).includes("before"));
    const watch = await http.watch(maps, { resourceVersion: "0" });
    assert.match((await watch.take(1))[0]?.text ?? "", /^ADDED before@/);
    for (const cache of target.cluster.watchCaches) await cache.kill();
    await until("an answer from memory", async () => {
      const answer = await http.get(`${maps}/before?resourceVersion=0`);
      return answer.status === 200 ? true : undefined;
    });
    assert.equal((await http.get(`${maps}/before`)).status, 503);
    assert.deepEqual(
      (await seen()).filter((name) => name === "before"),
      ["before"],
    );
    for (const cache of target.cluster.watchCaches) await cache.restart();
    // A write whose answer was lost is done all the same.
    await until("a write", async () => {
      const { status } = await http.post(maps, named("after"));
      return status === 201 || status === 409 || undefined;
    });
    assert.match((await watch.take(1))[0]?.text ?? "", /^ADDED after@/);
    watch.close();
  });
});

describe("gateways that keep some groups", { skip: etcdMissing() ?? false }, () => {
  const naming = createNaming("kubernetes");
  const events = naming.group("events");
  let target: DistributedTarget;
  let http: Http;
  before(async () => {
    target = await startDistributed({ args: [`--near-cache=core,${events}`], controllerArgs: ["--controllers="] });
    http = connect(target);
    await until("a near cache in each gateway", () => {
      const loaded = target.cluster.gateways.every((each) => each.log().includes("answered by the near cache"));
      return loaded ? true : undefined;
    });
  });
  after(async () => {
    await http.close();
    await target.stop();
  });

  test("answer these from memory and ask for the others, and both are whole and new", async () => {
    const container = { name: "c", image: "i" };
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    const written: readonly (readonly [collection: string, object: object])[] = [
      [maps, named("near")],
      ["/apis/apps/v1/namespaces/default/deployments", { spec: { selector: { matchLabels: labels }, template } }],
      ["/api/v1/namespaces/default/events", { involvedObject: { namespace: "default" }, reason: "r", type: "Normal" }],
    ];
    for (const [collection, object] of written) {
      await done(http.post(collection, { ...object, metadata: { name: "near" } }));
      for (const query of [{}, { resourceVersion: "0" }]) {
        const names = await until(`${collection} shows it`, async () => {
          const all = (await http.get(collection, query)).items().map(({ metadata }) => metadata.name);
          return all.includes("near") ? all : undefined;
        });
        assert.ok(names.includes("near"));
      }
    }
    const both = `/apis/${events}/v1/namespaces/default/events`;
    const names = await until(`${both} shows it`, async () => {
      const items = (await http.get(both, { resourceVersion: "0" })).items();
      return items.length > 0 ? items.map(({ metadata }) => metadata.name) : undefined;
    });
    assert.deepEqual(names, ["near"]);
  });

  test("while all watch caches are away these are read all the same, and others are not", async () => {
    for (const cache of target.cluster.watchCaches) await cache.kill();
    const any = { resourceVersion: "0" };
    await until("an answer from memory", async () =>
      (await http.get(`${maps}/near`, any)).status === 200 ? true : undefined,
    );
    assert.equal((await http.get("/apis/apps/v1/namespaces/default/deployments/near", any)).status, 503);
    for (const cache of target.cluster.watchCaches) await cache.restart();
    await until("a deployment again", async () =>
      (await http.get("/apis/apps/v1/namespaces/default/deployments/near")).status === 200 ? true : undefined,
    );
    await done(http.post(maps, named("later")));
    assert.equal((await http.get(`${maps}/later`)).status, 200);
  });
});
