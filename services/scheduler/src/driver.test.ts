import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { Plugin } from "@orch/scheduling/framework/plugin.js";
import { createScheduling } from "@orch/scheduling/scheduling.js";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { readScheduler } from "./configuration-file.js";
import { createDriver } from "./driver.js";
import type { PodEvent } from "./events.js";
import type { Telemetry } from "./telemetry.js";
import { createPermitBoard } from "./waiting-pods.js";

const naming = createNaming("orch");
const silent: Telemetry = {
  attempted() {},
  decided() {},
  bound() {},
  preempted() {},
  entered() {},
  took() {},
  waited() {},
};

/** A driver of one node and a plugin of a user's own, and what it has done when nothing is under way any more. */
async function drive(own: Omit<Plugin, "name">, pods: readonly string[], meta: object = {}) {
  const read = readScheduler(
    [
      JSON.stringify({
        apiVersion: `${naming.configurationGroup("orchscheduler.config")}/v1`,
        kind: "OrchSchedulerConfiguration",
        profiles: [{ plugins: { multiPoint: { enabled: [{ name: "Own" }] } } }],
      }),
    ],
    naming,
  );
  assert.ok(read.ok);
  const bound: string[] = [];
  const refused: (readonly [pod: string, reason: string, message: string])[] = [];
  const events: PodEvent[] = [];
  const errors: unknown[] = [];
  const scheduling = createScheduling({
    ...{ config: read.config, naming, random: () => 0, bindVolumes: () => async () => undefined },
    more: new Map([["Own", () => ({ name: "Own", ...own })]]),
    bind: async ({ name }) => {
      bound.push(name);
      return undefined;
    },
  });
  const clock = createManualClock();
  const driver = createDriver({
    ...{ scheduling, clock, extenders: [], telemetry: silent, permits: createPermitBoard(), mostUnderWay: 8 },
    writes: {
      bind: async () => undefined,
      evict: async () => {},
      refuse: async ({ name }, { reason, message }) => {
        refused.push([name, reason, message]);
      },
    },
    events: { tell: (event) => void events.push(event) },
    onError: (error) => void errors.push(error),
  });
  scheduling.feed.node({ metadata: { name: "n" }, status: { allocatable: { cpu: "4", pods: "9" } } }, 0);
  for (const name of pods) {
    const metadata = { name, namespace: "default", uid: name, ...(name === "odd" ? meta : {}) };
    scheduling.feed.pod({ metadata, spec: { schedulerName: "default-scheduler" } }, 0);
  }
  const abort = new AbortController();
  const ended = driver.run(abort.signal);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  abort.abort();
  await ended;
  return { bound, refused, events, errors, scheduling };
}

const boom = (pod: { readonly name: string }): undefined => {
  if (pod.name === "odd") throw new Error("boom");
  return undefined;
};
const broken: Readonly<Record<string, Omit<Plugin, "name">>> = {
  preFilter: { preFilter: ({ pod }) => boom(pod) ?? { code: "Skip" } },
  filter: {
    filter:
      ({ pod }) =>
      () =>
        boom(pod),
  },
  reserve: { reserve: { reserve: boom, unreserve: boom } },
  permit: { permit: boom },
  preBind: { preBind: async (pod) => boom(pod) },
};
for (const [point, own] of Object.entries(broken)) {
  test(`a plugin that throws at ${point} fails its pod's attempt, and keeps nobody else waiting`, async () => {
    const { bound, refused, scheduling } = await drive(own, ["odd", "plain"]);
    assert.deepEqual(bound, ["plain"]);
    assert.deepEqual(refused, [["odd", "SchedulerError", "boom"]]);
    assert.equal(scheduling.cluster.pod("default/odd"), undefined, "it holds no room");
    assert.equal(scheduling.queue.sizes().backoff, 1, "it is tried again");
  });
}

test("a plugin that throws before the queue keeps its pod out of it", async () => {
  const { bound, scheduling } = await drive({ preEnqueue: boom }, ["odd", "plain"]);
  assert.deepEqual([bound, scheduling.queue.sizes().gated], [["plain"], 1]);
});

test("a pod that is bound stays so, whatever a plugin that is told of it throws", async () => {
  const { bound, refused, errors, events } = await drive({ postBind: boom }, ["odd"]);
  assert.deepEqual([bound, refused, errors.length], [["odd"], [], 1]);
  assert.deepEqual(
    events.map(({ reason }) => reason),
    ["Scheduled"],
  );
});

test("a pod that is being deleted is not tried, and an event says so", async () => {
  const { bound, events } = await drive({}, ["odd"], { deletionTimestamp: "2026-01-01T00:00:00Z" });
  assert.deepEqual(bound, []);
  assert.deepEqual(
    events.map(({ reason, note }) => [reason, note]),
    [["FailedScheduling", "skip schedule deleting pod: default/odd"]],
  );
});
