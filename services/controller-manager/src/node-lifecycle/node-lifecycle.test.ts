import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@orch/client/http/http.js";
import { createNaming } from "@orch/naming/naming.js";
import { type Clock, systemClock } from "@orch/runtime/clock.js";
import { answerDeadlineMs } from "../rim/periodic.js";
import type { SeenNode, SeenTaint } from "../seen/node.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { archLabels } from "./arch-labels.js";
import { createNodeLifecycleController } from "./lifecycle-controller.js";
import { hear, silentConditions } from "./node-health.js";
import { evictingTaint, schedulingTaints, taintKeys, withTaints } from "./node-taints.js";
import { createPacedNodes } from "./paced-nodes.js";
import { isBlind, rateOf, zoneKeys, zonesOf } from "./zones.js";

const naming = createNaming("kubernetes");
const keys = taintKeys(naming);
const seconds = (n: number): number => Date.parse("2026-01-01T00:00:00Z") + n * 1000;
const periods = { graceMs: 50_000, startupMs: 60_000 };

const node = (
  ready: string | undefined,
  more: { metadata?: object; spec?: SeenNode["spec"]; conditions?: readonly object[] } = {},
): SeenNode => ({
  metadata: { name: "n", creationTimestamp: "2026-01-01T00:00:00Z", ...more.metadata },
  spec: more.spec ?? {},
  status: {
    conditions: [
      ...(ready === undefined ? [] : [{ type: "Ready", status: ready, lastHeartbeatTime: "2026-01-01T00:00:00Z" }]),
      ...(more.conditions ?? []),
    ],
  },
});

test("a node is silent once neither its lease nor its heartbeat has changed for the grace period", () => {
  const first = hear(node("True"), "r1", { before: undefined, now: seconds(0) });
  const again = hear(node("True"), "r2", { before: first, now: seconds(40) });
  const same = hear(node("True"), "r2", { before: again, now: seconds(80) });
  assert.equal(silentConditions(node("True"), same, { ...periods, now: seconds(90) }), undefined);
  const told = silentConditions(node("True"), same, { ...periods, now: seconds(91) });
  assert.deepEqual(
    told?.map(({ type, reason }) => `${type} ${reason}`),
    [
      "Ready NodeStatusUnknown",
      "MemoryPressure NodeStatusNeverUpdated",
      "DiskPressure NodeStatusNeverUpdated",
      "PIDPressure NodeStatusNeverUpdated",
    ],
  );
  assert.equal(told?.[0]?.message, "Kubelet stopped posting node status.");
});

test("a node that never said anything has the startup grace period from when it was made", () => {
  const heard = hear(node(undefined), "", { before: undefined, now: seconds(30) });
  assert.equal(silentConditions(node(undefined), heard, { ...periods, now: seconds(60) }), undefined);
  const told = silentConditions(node(undefined), heard, { ...periods, now: seconds(61) });
  assert.deepEqual([told?.[0]?.type, told?.[0]?.reason, told?.length], ["Ready", "NodeStatusNeverUpdated", 4]);
});

test("what is Unknown already is not written again", () => {
  const conditions = ["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({ type, status: "Unknown" }));
  const silent = node("Unknown", { conditions });
  const heard = hear(silent, "", { before: undefined, now: seconds(0) });
  assert.equal(silentConditions(silent, heard, { ...periods, now: seconds(500) }), undefined);
});

const pressure = (type: string) => [{ type, status: "True" }];
const taints: readonly (readonly [
  what: string,
  node: SeenNode,
  scheduling: readonly string[],
  evicting: string | undefined,
])[] = [
  ["ready", node("True"), [], undefined],
  ["not ready", node("False"), ["node.kubernetes.io/not-ready"], "node.kubernetes.io/not-ready"],
  ["silent", node("Unknown"), ["node.kubernetes.io/unreachable"], "node.kubernetes.io/unreachable"],
  [
    "short of memory",
    node("True", { conditions: pressure("MemoryPressure") }),
    ["node.kubernetes.io/memory-pressure"],
    undefined,
  ],
  [
    "short of disk",
    node("True", { conditions: pressure("DiskPressure") }),
    ["node.kubernetes.io/disk-pressure"],
    undefined,
  ],
  [
    "short of processes",
    node("True", { conditions: pressure("PIDPressure") }),
    ["node.kubernetes.io/pid-pressure"],
    undefined,
  ],
  [
    "without a network",
    node("True", { conditions: pressure("NetworkUnavailable") }),
    ["node.kubernetes.io/network-unavailable"],
    undefined,
  ],
  ["cordoned", node("True", { spec: { unschedulable: true } }), ["node.kubernetes.io/unschedulable"], undefined],
];
for (const [what, of, scheduling, evicting] of taints) {
  test(`a node that is ${what} is tainted [${scheduling}] and ${evicting === undefined ? "keeps" : "loses"} its pods`, () => {
    assert.deepEqual([...schedulingTaints(of, keys)], scheduling);
    assert.equal(evictingTaint(of, keys), evicting);
  });
}

test("taints of others stay, one's own come and go", () => {
  const other: SeenTaint = { key: "example.com/gpu", effect: "NoSchedule" };
  const old: SeenTaint = { key: keys.notReady, effect: "NoExecute" };
  const of = node("Unknown", { spec: { taints: [other, old] } });
  const wanted = { scheduling: new Set([keys.unreachable]), evicting: keys.unreachable, now: "now" };
  const changed = withTaints(of, keys, wanted);
  assert.deepEqual(
    changed?.map(({ key, effect }) => `${key}:${effect}`),
    [
      "example.com/gpu:NoSchedule",
      "node.kubernetes.io/unreachable:NoSchedule",
      "node.kubernetes.io/unreachable:NoExecute",
    ],
  );
  assert.equal(withTaints(node("Unknown", { spec: { taints: changed ?? [] } }), keys, wanted), undefined);
});

const zoned = (zone: string, ready: number, silent: number): readonly SeenNode[] =>
  [...Array(ready).fill("True"), ...Array(silent).fill("Unknown")].map((status: string) =>
    node(status, { metadata: { labels: { "topology.kubernetes.io/zone": zone } } }),
  );
const rates = { rate: 0.1, secondaryRate: 0.01, largeZone: 50, unhealthy: 0.55 };
const zoneRows: readonly (readonly [ready: number, silent: number, state: string, rate: number])[] = [
  [10, 0, "normal", 0.1],
  [1, 2, "normal", 0.1],
  [2, 3, "partial", 0],
  [3, 3, "normal", 0.1],
  [20, 40, "partial", 0.01],
  [0, 4, "full", 0.1],
];
for (const [ready, silent, state, rate] of zoneRows) {
  test(`a zone of ${ready} ready and ${silent} silent nodes is ${state}: ${rate} nodes a second`, () => {
    const zones = zonesOf([...zoned("a", ready, silent), ...zoned("b", 1, 0)], zoneKeys(naming), rates.unhealthy);
    const zone = zones.get(JSON.stringify(["", "a"]));
    assert.ok(zone);
    assert.deepEqual([zone.state, rateOf(zone, rates), isBlind(zones)], [state, rate, false]);
  });
}

test("where no zone has a node that is well nobody is evicted", () => {
  assert.equal(isBlind(zonesOf([...zoned("a", 0, 2), ...zoned("b", 0, 1)], zoneKeys(naming), 0.55)), true);
});

test("nodes of a zone go one at a time by its rate", () => {
  const paced = createPacedNodes();
  for (const name of ["n1", "n2", "n3"]) paced.add("a", name);
  paced.add("b", "m1");
  const rate = (zone: string): number => (zone === "a" ? 0.1 : 0);
  assert.deepEqual(paced.take(rate, 1000), ["n1"]);
  assert.deepEqual(paced.take(rate, 6000), []);
  paced.remove("n2");
  assert.deepEqual(paced.take(rate, 11_000), ["n3"]);
  assert.deepEqual(
    paced.take(() => 1, 11_000),
    ["m1"],
  );
});

test("the labels of the system and the processor are said in their older names, too", () => {
  const [os, arch] = ["kubernetes.io/os", "kubernetes.io/arch"];
  const rows: readonly (readonly [labels: Readonly<Record<string, string>>, missing: object | undefined])[] = [
    [
      { [os]: "linux", [arch]: "arm64" },
      { [`beta.${os}`]: "linux", [`beta.${arch}`]: "arm64" },
    ],
    [{ [os]: "linux", [`beta.${os}`]: "plan9" }, { [`beta.${os}`]: "linux" }],
    [{ [os]: "linux", [`beta.${os}`]: "linux" }, undefined],
    [{ [`beta.${os}`]: "linux" }, undefined],
  ];
  for (const [labels, missing] of rows)
    assert.deepEqual(archLabels(naming).missing(node("True", { metadata: { labels } })), missing);
});

test("a node that the server does not answer for holds up no other one", async (t) => {
  const server = createMemoryServer();
  const stuck = new Set<string>();
  const client: Client = {
    ...server.client,
    async patch(collection, name, how) {
      if (name !== "a") return await server.client.patch(collection, name, how);
      stuck.add(name);
      // Until somebody loses patience.
      return await new Promise((_, reject) => how.signal?.addEventListener("abort", () => reject(how.signal?.reason)));
    },
  };
  const clock: Clock = {
    ...systemClock,
    after: (ms, run) => systemClock.after(ms === answerDeadlineMs ? 20 : ms, run),
  };
  for (const name of ["a", "b"])
    server.put(`nodes/${name}`, { status: { conditions: [{ type: "Ready", status: "True" }] } });
  const tools = { ...memoryTools(server, naming), client, clock };
  const config = { periodMs: 5, graceMs: 1, startupMs: 1, ...rates };
  runController(t, createNodeLifecycleController(config, tools));
  const saysOf = (name: string): string | undefined => {
    const seen: SeenNode | undefined = server.at(`nodes/${name}`);
    return seen?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
  };
  await until(() => saysOf("b") === "Unknown", "the other one is looked at");
  assert.deepEqual([[...stuck], saysOf("a")], [["a"], "True"]);
});
