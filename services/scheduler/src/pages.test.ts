import assert from "node:assert/strict";
import { test } from "node:test";
import { schedulerConfiguration } from "@orch/component-config/scheduler/scheduler.js";
import { createNaming } from "@orch/naming/naming.js";
import { createScheduling } from "@orch/scheduling/scheduling.js";
import { schedulerPages } from "./pages.js";

const naming = createNaming("orch");
const nothing = async (): Promise<undefined> => undefined;

function setup(debugs: boolean) {
  const scheduling = createScheduling({
    ...{ config: schedulerConfiguration(naming).defaults(), naming, random: () => 0 },
    ...{ bind: nothing, bindVolumes: () => nothing },
  });
  const { feed } = scheduling;
  feed.node({ metadata: { name: "n1" }, status: { allocatable: { cpu: "1", memory: "1Gi", pods: "10" } } }, 0);
  const containers = [{ resources: { requests: { cpu: "2" } } }];
  const pod = (name: string, spec: object) =>
    feed.pod({ metadata: { name, namespace: "default", uid: name }, spec: { containers, ...spec } }, 0);
  pod("waits", { schedulerName: "default-scheduler" });
  pod("stands", { schedulerName: "default-scheduler", nodeName: "n1" });
  pod("gated", { schedulerName: "default-scheduler", schedulingGates: [{ name: "example.com/wait" }] });
  pod("another", { schedulerName: "nobody" });
  const pages = schedulerPages({ scheduling, now: () => 0, debugs });
  const ask = (path: string, query = "") =>
    pages.find((page) => page.path === path)?.answer(new URLSearchParams(query));
  return { ask };
}

test("a pod is explained by what the scheduler sees, with its place in the queue", () => {
  const { ask } = setup(true);
  const answer = ask("/debug/explain-schedule", "namespace=default&pod=waits");
  const told = JSON.parse(answer?.body ?? "");
  assert.deepEqual([answer?.code, told.pod, told.attempts], [200, "default/waits", 0]);
  assert.deepEqual(told.nodes[0].rejection.reasons, ["Insufficient cpu"]);
  const gated = JSON.parse(ask("/debug/explain-schedule", "pod=gated")?.body ?? "");
  assert.deepEqual(gated.gate.reasons, ["waiting for scheduling gates: [example.com/wait]"]);
  assert.equal(ask("/debug/explain-schedule", "pod=another")?.code, 404);
  assert.equal(ask("/debug/explain-schedule", "pod=stands")?.code, 200);
});

test("what pods ask for is told of those that wait and those that stand", () => {
  const body = setup(false).ask("/metrics/resources")?.body ?? "";
  assert.match(body, /pod="stands",node="n1".*resource="cpu",unit="cores"} 2$/m);
  assert.match(body, /pod="waits",node="".*resource="cpu",unit="cores"} 2$/m);
});

test("who turns profiling off has no page that explains", () => {
  assert.equal(setup(false).ask("/debug/explain-schedule", "pod=waits"), undefined);
});
