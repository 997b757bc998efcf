import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import { createMirror } from "@orch/client/mirror.js";
import type { ApiObject } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { systemClock } from "@orch/runtime/clock.js";
import { silentLog } from "@orch/runtime/log.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import { ApiError } from "@orch/status/api-error.js";
import { createTelemetry } from "../metrics.js";
import { createWatchedServer } from "../testing/watched-server.js";
import { type AggregationTools, createAggregationController } from "./aggregation-controller.js";

const resource = "clusterroles";
const path = `/apis/rbac.authorization.k8s.io/v1/${resource}/`;

const rule = (of: string): PolicyRule => ({ verbs: ["get"], apiGroups: [""], resources: [of] });

/** A role with rules for some resources, of a part, made of the roles of some parts. */
interface Made {
  readonly rules?: readonly string[];
  readonly part?: string;
  readonly of?: readonly string[];
  readonly uid?: string;
}

function setup(t: TestContext) {
  const server = createWatchedServer();
  const writes: string[] = [];
  const failures: ApiError[] = [];
  let failed = 0;
  const client: AggregationTools["client"] = {
    async raw(request) {
      assert.equal(request.headers?.["content-type"], "application/apply-patch+yaml");
      assert.deepEqual(request.query, { fieldManager: "clusterrole-aggregation-controller", force: true });
      const name = request.path.slice(path.length);
      assert.equal(request.path, path + name);
      const { metadata, rules, ...kind } = JSON.parse(String(request.body));
      assert.deepEqual(kind, { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" });
      writes.push(`${name}: ${resourcesOf(rules)}`);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      const role = server.get(resource, name);
      if (role === undefined || role.metadata.uid !== metadata.uid) throw new ApiError("Conflict", "another uid");
      server.put(resource, { ...role, rules });
      return { status: 200, headers: {}, body: Buffer.from("") };
    },
  };
  const telemetry = {
    ...createTelemetry(createMetrics({ release: "1.32", processMetrics: false }), () => 0),
    failed: () => void failed++,
  };
  const naming = createNaming("kubernetes");
  const clock = systemClock;
  const random = (): number => 0;
  const mirror = createMirror({ client: server.client, naming, clock, random });
  const tools = { client, mirror, naming, clock, random, log: silentLog, telemetry };
  const abort = new AbortController();
  // Delays of retries keep no process alive.
  const alive = setTimeout(() => {}, 60_000);
  let running: Promise<void> | undefined;
  t.after(async () => {
    clearTimeout(alive);
    abort.abort();
    await running;
  });
  return {
    ...server,
    writes,
    failures,
    failed: () => failed,
    make(name: string, { rules = [], part = "", of, uid = name }: Made): void {
      const selectors = of?.map((one) => ({ matchLabels: { part: one } }));
      server.put(resource, {
        metadata: { name, uid, labels: { part } },
        rules: rules.map(rule),
        ...(selectors === undefined ? {} : { aggregationRule: { clusterRoleSelectors: selectors } }),
      });
    },
    async run(): Promise<void> {
      running = createAggregationController(tools).run(abort.signal);
      await until(() => server.watches(resource) === 1);
    },
    stop: async () => {
      abort.abort();
      await running;
    },
    /** Until a role has just these rules. */
    has: (name: string, ...resources: readonly string[]) =>
      until(() => resourcesOf(rulesOf(server.get(resource, name))) === resources.join(" ")),
  };
}

const rulesOf = (role: ApiObject | undefined) => Object(role)["rules"];
const resourcesOf = (rules: readonly PolicyRule[] | undefined): string =>
  (rules ?? []).flatMap(({ resources }) => resources ?? []).join(" ");

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test("a role is given the rules of the roles that it is made of, and of those that they are made of", async (t) => {
  const { make, run, has, writes } = setup(t);
  make("edit", { of: ["edit"], part: "admin" });
  make("admin", { of: ["admin"] });
  make("b", { rules: ["pods", "nodes"], part: "edit" });
  make("a", { rules: ["nodes"], part: "edit" });
  await run();
  await has("admin", "nodes", "pods");
  await has("edit", "nodes", "pods");
  assert.ok(writes.every((write) => !write.startsWith("a:") && !write.startsWith("b:")));
});

test("what is as it should be is not written", async (t) => {
  const { make, run, has, writes } = setup(t);
  make("whole", { of: ["p"], rules: ["pods"] });
  make("none", { of: [] });
  make("p", { rules: ["pods"], part: "p" });
  make("late", { of: ["p"] });
  await run();
  await has("late", "pods");
  assert.deepEqual(writes, ["late: pods"]);
});

test("changes of what it is made of, new roles and deleted ones are taken over", async (t) => {
  const { make, remove, run, has } = setup(t);
  make("whole", { of: ["p"] });
  await run();
  make("p", { rules: ["pods"], part: "p" });
  await has("whole", "pods");
  make("q", { rules: ["nodes"], part: "p" });
  await has("whole", "pods", "nodes");
  make("p", { rules: ["secrets"], part: "p" });
  await has("whole", "secrets", "nodes");
  make("q", { rules: ["nodes"], part: "elsewhere" });
  await has("whole", "secrets");
  remove(resource, "p");
  await has("whole");
});

test("what somebody else writes into its rules does not stay", async (t) => {
  const { make, run, has } = setup(t);
  make("p", { rules: ["pods"], part: "p" });
  make("whole", { of: ["p"] });
  await run();
  await has("whole", "pods");
  make("whole", { of: ["p"], rules: ["secrets"] });
  await has("whole", "pods");
});

test("a role that is made of others no more keeps its rules, and is written no more", async (t) => {
  const { make, run, has, writes } = setup(t);
  make("p", { rules: ["pods"], part: "p" });
  make("whole", { of: ["p"] });
  make("other", { of: ["p"] });
  await run();
  await has("whole", "pods");
  await has("other", "pods");
  make("whole", { rules: ["pods"] });
  make("p", { rules: ["nodes"], part: "p" });
  await has("other", "nodes");
  assert.ok(!writes.includes("whole: nodes"));
});

test("a write that fails is tried again and told, and holds up no other role", async (t) => {
  const { make, run, has, failures, failed } = setup(t);
  failures.push(new ApiError("ServiceUnavailable", "away"), new ApiError("Forbidden", "escalation"));
  make("p", { rules: ["pods"], part: "p" });
  make("one", { of: ["p"] });
  make("two", { of: ["p"] });
  await run();
  await has("one", "pods");
  await has("two", "pods");
  assert.equal(failed(), 2);
});

test("a role that has gone does not come back", async (t) => {
  const { make, remove, run, has, get, failures, writes } = setup(t);
  failures.push(new ApiError("ServiceUnavailable", "away"));
  make("p", { rules: ["pods"], part: "p" });
  make("whole", { of: ["p"] });
  await run();
  await until(() => writes.length === 1);
  remove(resource, "whole");
  make("other", { of: ["p"] });
  await has("other", "pods");
  assert.equal(get(resource, "whole"), undefined);
});

test("it ends when it is told to", async (t) => {
  const { run, stop, watches } = setup(t);
  await run();
  await stop();
  assert.equal(watches(resource), 0);
});
