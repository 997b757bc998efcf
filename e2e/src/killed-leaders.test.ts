import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { valueAt } from "@orch/api/object.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { type Process, startProcess } from "@orch/deploy/process.js";
import { programs } from "./command-line-program.js";
import { conformanceCluster, hasCondition, imageOf, isLeaving, isReady, templateOf } from "./conformance/cluster.js";
import { until } from "./harness/until.js";

/** Controller managers are killed while they work; what they keep is never wrong in between. */
const cluster = conformanceCluster([], "serviceaccount-controller");
const managers: Process[] = [];
const patienceMs = 60_000;

async function holder(): Promise<unknown> {
  const { naming } = cluster.target();
  const namespace = naming.systemName("system");
  const leases: Collection = { group: naming.group("coordination"), version: "v1", resource: "leases", namespace };
  const name = naming.systemName("controller-manager");
  const lease = await cluster
    .client()
    .get(leases, name)
    .catch(() => undefined);
  return lease === undefined ? undefined : valueAt(lease, "spec.holderIdentity");
}

/** Without a word; it is back at once, and stands for election again. */
async function killLeader(): Promise<void> {
  const leader = await until(
    "one of them leads",
    async () => {
      const identity = await holder();
      if (typeof identity !== "string" || identity === "") return undefined;
      return managers.find((manager) => manager.log().includes(`"identity":"${identity}"`));
    },
    patienceMs,
  );
  const before = await holder();
  await leader.kill();
  await leader.restart();
  await until("another one leads", async () => ((await holder()) === before ? undefined : true), patienceMs);
}

describe("two controller managers of which the leader is killed", () => {
  before(async () => {
    const { clientConfig, naming } = cluster.target();
    const lease = ["lease-duration=5s", "renew-deadline=4s", "retry-period=300ms"];
    for (const name of ["one", "other"]) {
      const args = [
        ...["controller-manager", `--orchconfig=${clientConfig}`, "--metrics-port=0"],
        ...[`--api-dialect=${naming.dialect}`, ...lease.map((flag) => `--leader-elect-${flag}`)],
      ];
      managers.push(await startProcess({ name, script: programs.orch, args, sameAgain: () => [] }));
    }
  });
  after(async () => {
    for (const manager of managers) await manager.stop();
  });

  test("a watcher of a rollout sees neither more pods than its surge allows nor fewer available ones", async (t) => {
    const space = await cluster.space();
    const labels = { app: "web" };
    const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 2, maxUnavailable: 1 } };
    const spec = { replicas: 8, selector: { matchLabels: labels }, strategy, template: templateOf(labels) };
    await space.create("deployments", "web", { spec });
    const isUp = (pod: ApiObject): boolean => isReady(pod) && !isLeaving(pod);
    await space.pods("eight are ready", (pods) => pods.filter(isUp).length === 8);
    let [most, least] = [0, 0];
    await space.watchPods(t, (pods) => {
      most = Math.max(most, pods.filter((pod) => !isLeaving(pod)).length);
      least = Math.min(least, pods.filter(isUp).length);
    });
    // It begins with one pod after the other.
    [most, least] = [8, 8];
    const isNew = (pod: ApiObject): boolean => imageOf(pod) === "image:2";
    await space.patch("deployments", "web", { spec: { template: templateOf(labels, "image:2") } });
    for (const made of [1, 4]) {
      await space.pods(`${made} are new`, (pods) => pods.filter(isNew).length >= made);
      await killLeader();
    }
    await space.pods("eight are new", (pods) => pods.length === 8 && pods.every((pod) => isNew(pod) && isUp(pod)));
    assert.ok(most <= 10, `${most} pods`);
    assert.ok(least >= 7, `${least} available`);
  });

  test("jobs count each of their pods once", async () => {
    const space = await cluster.space();
    const annotations = { "sim.kubernetes.io/run-for": "300ms" };
    const template = {
      metadata: { annotations },
      spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
    };
    const names = Array.from({ length: 20 }, (_, i) => `job-${i}`);
    const completions = 2;
    await Promise.all(
      names.map((name) => space.create("jobs", name, { spec: { completions, parallelism: 2, template } })),
    );
    for (const ended of [1, 10]) {
      await until(
        `${ended} jobs are over`,
        async () => {
          const jobs = await space.list("jobs");
          return jobs.filter((job) => hasCondition(job, "Complete")).length >= ended ? true : undefined;
        },
        patienceMs,
      );
      await killLeader();
    }
    for (const name of names) {
      const job = await space.becomes("jobs", name, "is complete", (object) => hasCondition(object, "Complete"));
      assert.deepEqual(
        [valueAt(job, "status.succeeded"), valueAt(job, "status.failed")],
        [completions, undefined],
        name,
      );
    }
    assert.equal((await space.list("pods")).length, completions * names.length);
  });
});
