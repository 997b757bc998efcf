import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { SeenPod } from "../seen/pod.js";
import type { SeenService } from "../seen/service.js";
import { decideEndpoints, endpointsWords, withinCapacity } from "./decide-endpoints.js";

const words = endpointsWords(createNaming("kubernetes"));
const service = (spec: object = {}): SeenService => ({
  metadata: { name: "web", namespace: "ns", labels: { app: "web" } },
  spec: {
    clusterIP: "10.0.0.1",
    ipFamilies: ["IPv4"],
    ports: [{ name: "http", targetPort: 8080, protocol: "TCP" }],
    ...spec,
  },
});
const pod = (name: string, ready: boolean, more: object = {}): SeenPod => ({
  metadata: { name, namespace: "ns", uid: name },
  status: {
    podIPs: [{ ip: `10.1.0.${name}` }, { ip: `fd00::${name}` }],
    conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
  },
  ...more,
});
const decided = (
  pods: readonly SeenPod[],
  of = service(),
  current?: Parameters<typeof decideEndpoints>[0]["current"],
) => decideEndpoints({ service: of, pods, current }, words, undefined);
const text = (decision: ReturnType<typeof decided>): string => {
  if (decision.action === "none") return "none";
  const shown = (decision.endpoints.subsets ?? []).map(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const unready = notReadyAddresses.map(({ ip }) => `!${ip}`);
    return [...addresses.map(({ ip }) => ip), ...unready, ":", ...ports.map(({ port }) => port)].join(" ");
  });
  return [decision.action, ...shown].join(" | ");
};
const ended = { status: { phase: "Succeeded", podIPs: [{ ip: "10.1.0.9" }] } };
const going = { metadata: { name: "3", namespace: "ns", deletionTimestamp: "2026-01-01T00:00:00Z" } };

const rows: readonly (readonly [what: string, pods: readonly SeenPod[], service: SeenService, said: string])[] = [
  ["no pods", [], service(), "create"],
  ["ready and not ready", [pod("1", true), pod("2", false)], service(), "create | 10.1.0.1 !10.1.0.2 : 8080"],
  [
    "publishNotReadyAddresses",
    [pod("1", false)],
    service({ publishNotReadyAddresses: true }),
    "create | 10.1.0.1 : 8080",
  ],
  ["ended and terminating", [pod("1", true, ended), pod("3", true, going)], service(), "create"],
  ["the first family alone", [pod("1", true)], service({ ipFamilies: ["IPv6", "IPv4"] }), "create | fd00::1 : 8080"],
  ["headless without ports", [pod("1", true)], service({ clusterIP: "None", ports: [] }), "create | 10.1.0.1 :"],
];
for (const [what, pods, of, said] of rows) {
  test(`endpoints of a service: ${what}`, () => assert.equal(text(decided(pods, of)), said));
}

test("endpoints that are right are not written, and those of another label are", () => {
  const first = decided([pod("1", true), pod("2", false)]);
  assert.equal(first.action, "create");
  assert.equal(decided([pod("1", true), pod("2", false)], service(), first.endpoints).action, "none");
  const relabelled = { ...service(), metadata: { name: "web", namespace: "ns", labels: { app: "db" } } };
  assert.equal(decided([pod("1", true), pod("2", false)], relabelled, first.endpoints).action, "update");
});

test("a headless service's endpoints say so", () => {
  const decision = decided([], service({ clusterIP: "None" }));
  assert.ok(decision.action === "create");
  assert.deepEqual(decision.endpoints.metadata.labels, { app: "web", "service.kubernetes.io/headless": "" });
});

const many = (count: number) => Array.from({ length: count }, (_, at) => ({ ip: String(at) }));
const capacities: readonly (readonly [ready: readonly number[], unready: readonly number[], kept: string])[] = [
  [[4, 4], [1, 1], "4+1 4+1"],
  [[8, 4], [0, 0], "7+0 3+0"],
  [[4, 4], [3, 1], "4+2 4+0"],
];
for (const [ready, unready, kept] of capacities) {
  test(`room for ten: ${ready} ready and ${unready} not ready addresses become ${kept}`, () => {
    const subsets = ready.map((count, at) => ({ addresses: many(count), notReadyAddresses: many(unready[at] ?? 0) }));
    const cut = withinCapacity(subsets, 10);
    assert.equal(cut.map((s) => `${s.addresses?.length ?? 0}+${s.notReadyAddresses?.length ?? 0}`).join(" "), kept);
  });
}
