import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { valueAt } from "@orch/api/object.js";
import { createMirror } from "@orch/client/mirror.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { type Process, startProcess } from "@orch/deploy/process.js";
import { systemClock } from "@orch/runtime/clock.js";
import { programs } from "./command-line-program.js";
import {
  conformanceCluster,
  countAt,
  endingTemplate,
  hasCondition,
  imageOf,
  isLeaving,
  isReady,
  templateOf,
} from "./conformance/cluster.js";
import { until } from "./harness/until.js";

/** Controller managers are killed while they work; what they keep is never wrong in between. */
const cluster = conformanceCluster([], "serviceaccount-controller");
const managers: Process[] = [];
const patienceMs = 60_000;
const usualJobs = 100;
/** `ORCH_TEST_JOBS=10000` kills whoever leads each five seconds until they are over. */
const jobs = Number(process.env["ORCH_TEST_JOBS"] ?? usualJobs);
const killEveryMs = 5_000;
const stops = Number(process.env["ORCH_TEST_KILLS"] ?? 2);

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

async function killWhile(goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    await delay(killEveryMs);
    await killLeader();
  }
}

/**
 * Follows how jobs count: a pod is listed as uncounted, and once it is listed no more the number is higher by one. What is
 * counted twice comes to the list again, or raises the number without having been listed.
 */
async function watchJobs(t: TestContext, namespace: string) {
  const counted = new Map<string, { readonly sum: number; readonly listed: ReadonlySet<string> }>();
  const past = new Set<string>();
  const seen = { complete: 0, wrongs: [] as string[] };
  const look = (job: ApiObject): void => {
    const { name = "" } = job.metadata;
    const before = counted.get(name) ?? { sum: 0, listed: new Set() };
    const uids = valueAt(job, "status.uncountedTerminatedPods.succeeded");
    const listed = new Set<string>(Array.isArray(uids) ? uids : []);
    const left = [...before.listed].filter((uid) => !listed.has(uid));
    for (const uid of listed) if (past.has(uid)) seen.wrongs.push(`${name}: ${uid} is listed again`);
    for (const uid of left) past.add(uid);
    const sum = countAt(job, "status.succeeded");
    if (sum !== before.sum + left.length) {
      seen.wrongs.push(`${name}: ${sum} after ${before.sum}, and ${left.length} are listed no more`);
    }
    counted.set(name, { sum, listed });
  };
  const { naming } = cluster.target();
  const mirror = createMirror({ client: cluster.client(), naming, clock: systemClock, random: () => 0 });
  const isComplete = (job: ApiObject): boolean => hasCondition(job, "Complete");
  const view = mirror.view<ApiObject>({
    ...{ collection: { group: "batch", version: "v1", resource: "jobs", namespace }, sees: "objects" },
    ...{ keep: (job: ApiObject) => job, onError: (error: unknown) => void seen.wrongs.push(String(error)) },
    handlers: {
      added: look,
      modified(job, before) {
        look(job);
        if (isComplete(job) && !isComplete(before)) seen.complete++;
      },
    },
  });
  const abort = new AbortController();
  const run = view.run(abort.signal);
  t.after(async () => {
    abort.abort();
    await run;
  });
  await view.synced;
  return seen;
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

  test("jobs count each of their pods once", async (t) => {
    const space = await cluster.space();
    const watched = await watchJobs(t, space.namespace);
    const template = endingTemplate("300ms", 0);
    for (let i = 0; i < jobs; i++) await space.create("jobs", `job-${i}`, { spec: { completions: 1, template } });
    if (jobs > usualJobs) await killWhile(() => watched.complete < jobs);
    else
      for (const share of [0.01, 0.3, 0.6]) {
        const some = Math.ceil(share * jobs);
        await until(`${some} jobs are over`, () => (watched.complete >= some ? true : undefined), patienceMs);
        await killLeader();
      }
    await until("all jobs are over", () => (watched.complete === jobs ? true : undefined), 2 * patienceMs);
    assert.deepEqual(watched.wrongs, []);
    const left = await space.list("jobs");
    assert.equal(left.length, jobs);
    for (const job of left) {
      const { name } = job.metadata;
      assert.deepEqual([valueAt(job, "status.succeeded"), valueAt(job, "status.failed")], [1, undefined], name);
    }
    assert.equal((await space.list("pods")).length, jobs);
  });

  test("all processes are killed at any moment: replicas are right again", async (t) => {
    const space = await cluster.space();
    const labels = (app: string) => ({ app });
    const spec = (app: string) => ({ selector: { matchLabels: labels(app) }, template: templateOf(labels(app)) });
    await space.create("deployments", "web", { spec: { replicas: 6, ...spec("web") } });
    await space.create("statefulsets", "db", { spec: { replicas: 3, serviceName: "db", ...spec("db") } });
    await space.create("daemonsets", "agent", { spec: spec("agent") });
    const isUp = (pod: ApiObject): boolean => isReady(pod) && !isLeaving(pod);
    const areRight = (wanted: Readonly<Record<string, number>>, image: string) => (pods: readonly ApiObject[]) =>
      pods.length === Object.values(wanted).reduce((sum, count) => sum + count) &&
      Object.entries(wanted).every(([app, count]) => {
        const own = pods.filter(({ metadata }) => metadata.labels?.["app"] === app);
        return own.length === count && own.every((pod) => isUp(pod) && (app !== "web" || imageOf(pod) === image));
      });
    await space.pods("are right", areRight({ web: 6, db: 3, agent: 3 }, "image:1"));
    for (let stop = 0; stop < stops; stop++) {
      const [image, web, db] = [`image:${2 + stop}`, 4 + 4 * (stop % 2), 2 + (stop % 3)];
      await space.patch("deployments", "web", { spec: { replicas: web, template: templateOf(labels("web"), image) } });
      await space.patch("statefulsets", "db", { spec: { replicas: db } });
      const [some] = await space.list("pods");
      await space.remove("pods", some?.metadata.name ?? "");
      await delay(1_000 * Math.random());
      const all = [cluster.target().process, ...managers];
      await Promise.all(all.map((each) => each.kill()));
      const killed = performance.now();
      await cluster.target().process.restart();
      await Promise.all(managers.map((each) => each.restart()));
      await space.pods("are right again", areRight({ web, db, agent: 3 }, image));
      t.diagnostic(`right again ${((performance.now() - killed) / 1000).toFixed(1)} s after the stop`);
    }
  });
});
