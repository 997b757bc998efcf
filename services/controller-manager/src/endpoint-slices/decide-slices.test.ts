import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { SeenPod } from "../seen/pod.js";
import type { SeenService } from "../seen/service.js";
import { decideSlices, type SliceOptions } from "./decide-slices.js";
import { endpointsOf, type NodePlace, type Slice } from "./objects.js";
import { sliceWords } from "./slice-labels.js";

const words = sliceWords(createNaming("orch"), "endpointslice-controller");
const base: SliceOptions = { words, max: 3, shares: undefined, hinted: false };

const service = (spec: object = {}, annotations: Readonly<Record<string, string>> = {}): SeenService => ({
  metadata: { name: "web", namespace: "ns", uid: "u", labels: { app: "web" }, annotations },
  spec: { clusterIP: "10.0.0.1", ipFamilies: ["IPv4"], ports: [{ name: "http", port: 80, targetPort: 8080 }], ...spec },
});
const pod = (
  name: string,
  more: { readonly spec?: object; readonly status?: object; readonly metadata?: object } = {},
): SeenPod => ({
  metadata: { name, namespace: "ns", uid: `uid-${name}`, ...more.metadata },
  spec: { nodeName: "n", ...more.spec },
  status: {
    ...{ phase: "Running", podIP: "10.1.0.1", podIPs: [{ ip: "10.1.0.1" }, { ip: "fd00::1" }] },
    conditions: [{ type: "Ready", status: "True" }],
    ...more.status,
  },
});
const decide = (
  pods: readonly SeenPod[],
  {
    of = service(),
    slices = [],
    ...options
  }: {
    of?: SeenService;
    slices?: readonly Slice[];
    nodeOf?: (name: string) => NodePlace | undefined;
  } & Partial<SliceOptions> = {},
) =>
  decideSlices(
    { service: of, pods, slices, nodeOf: options.nodeOf ?? (() => ({ zone: "a" })) },
    { ...base, ...options },
  );

/** The slices as they are stored after a decision. */
const stored = (slices: readonly Slice[]): readonly Slice[] =>
  slices.map((slice, at) => ({ ...slice, metadata: { ...slice.metadata, name: `web-${at}`, resourceVersion: "1" } }));
const namesIn = (slices: readonly Slice[]) =>
  slices.map((slice) =>
    endpointsOf(slice)
      .map(({ targetRef }) => targetRef?.name)
      .join(""),
  );
const pods = (names: string) => [...names].map((name) => pod(name));

describe("endpoints of pods", () => {
  const rows: readonly (readonly [what: string, pod: SeenPod, said: string])[] = [
    ["ready", pod("a"), "ready serving"],
    ["not ready", pod("a", { status: { conditions: [] } }), ""],
    [
      "terminating and still ready",
      pod("a", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
      "serving terminating",
    ],
  ];
  for (const [what, each, said] of rows) {
    test(`a pod that is ${what} is [${said}]`, () => {
      const [slice] = decide([each]).create;
      assert.ok(slice);
      const { conditions = {} } = endpointsOf(slice)[0] ?? {};
      const are = Object.entries(conditions).filter(([, is]) => is);
      assert.equal(are.map(([name]) => name).join(" "), said);
    });
  }
  test("publishNotReadyAddresses makes all of them ready", () => {
    const of = service({ publishNotReadyAddresses: true });
    const [slice] = decide([pod("a", { status: { conditions: [] } })], { of }).create;
    assert.deepEqual(slice?.endpoints?.[0]?.conditions, { ready: true, serving: false, terminating: false });
  });
  test("a pod that has ended or has no address is left out", () => {
    const left = [pod("a", { status: { phase: "Failed" } }), pod("b", { status: { podIP: "", podIPs: [] } })];
    assert.deepEqual(namesIn(decide(left).create), [""]);
  });
  test("a pod whose node is not there is left out and told, unless all addresses are published", () => {
    const nodeOf = () => undefined;
    const decision = decide(pods("a"), { nodeOf });
    assert.deepEqual(decision.withoutNode, ["a"]);
    assert.deepEqual(namesIn(decision.create), [""]);
    const of = service({ publishNotReadyAddresses: true });
    assert.deepEqual(namesIn(decide(pods("a"), { of, nodeOf }).create), ["a"]);
  });
  test("a pod says its node, its zone, and its host name where it is of the service's domain", () => {
    const named = pod("a", { spec: { nodeName: "n", hostname: "h", subdomain: "web" } });
    const endpoint = decide([named]).create[0]?.endpoints?.[0];
    assert.deepEqual([endpoint?.nodeName, endpoint?.zone, endpoint?.hostname], ["n", "a", "h"]);
  });
});

describe("slices", () => {
  test("each family has its own", () => {
    const { create } = decide(pods("a"), { of: service({ ipFamilies: ["IPv4", "IPv6"] }) });
    const said = create.map(({ addressType, endpoints }) => [addressType, endpoints?.[0]?.addresses]);
    assert.deepEqual(said, [
      ["IPv4", ["10.1.0.1"]],
      ["IPv6", ["fd00::1"]],
    ]);
  });
  test("pods whose named port has another number have a slice of their own", () => {
    const of = service({ ports: [{ name: "http", targetPort: "web" }] });
    const at = (name: string, containerPort: number) =>
      pod(name, { spec: { nodeName: "n", containers: [{ ports: [{ name: "web", containerPort }] }] } });
    const { create } = decide([at("a", 80), at("b", 81), at("c", 80)], { of });
    assert.deepEqual(namesIn(create), ["ac", "b"]);
  });
  test("a slice has the labels of its service, and is known to be the controller's", () => {
    const [slice] = decide(pods("a"), { of: service({ clusterIP: "None" }) }).create;
    assert.deepEqual(slice?.metadata.labels, {
      app: "web",
      "service.orch/headless": "",
      "orch/service-name": "web",
      "endpointslice.orch/managed-by": "endpointslice-controller.orch",
    });
    assert.equal(slice.metadata.generateName, "web-");
  });
  test("nothing to publish is one slice without endpoints, that stays", () => {
    const slices = stored(decide([]).create);
    assert.deepEqual(namesIn(slices), [""]);
    const again = decide([], { slices });
    assert.deepEqual([again.create, again.update, again.remove], [[], [], []]);
  });
  test("what is right is not written", () => {
    const slices = stored(decide(pods("abcd")).create);
    const again = decide(pods("abcd"), { slices });
    assert.deepEqual([again.create, again.update, again.remove], [[], [], []]);
  });
  test("a slice that is to be made takes the place of one that is to go", () => {
    const slices = stored(decide([]).create);
    const { create, update, remove } = decide(pods("a"), { slices });
    assert.deepEqual([create, remove], [[], []]);
    assert.deepEqual([update[0]?.metadata.name, ...namesIn(update)], ["web-0", "a"]);
  });
  test("a service that goes has no new slices", () => {
    const of = service();
    const going = { ...of, metadata: { ...of.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    assert.deepEqual(decide(pods("a"), { of: going }).create, []);
  });
  test("slices of a family that the service has no more go", () => {
    const slices = stored(decide(pods("a"), { of: service({ ipFamilies: ["IPv4", "IPv6"] }) }).create);
    assert.deepEqual(
      decide(pods("a"), { slices }).remove.map(({ addressType }) => addressType),
      ["IPv6"],
    );
  });
});

describe("packing, three to a slice", () => {
  const rows: readonly (readonly [had: string, wanted: string, writes: string])[] = [
    ["", "abcde", "+abc +de"],
    ["ab", "abc", "~abc"],
    ["abc de", "abcdef", "~def"],
    // What is written anyway is filled first, though the other slice has room, too.
    ["abc de", "abdefg", "~abf ~deg"],
    ["abc d", "abcdefgh", "+efg ~dh"],
    ["abc de", "abc", "-de"],
    // Never moved together.
    ["abc def", "ad", "~a ~d"],
  ];
  for (const [had, wanted, writes] of rows) {
    test(`[${had}] made to have ${wanted}: ${writes}`, () => {
      const slices = had === "" ? [] : stored(had.split(" ").flatMap((names) => decide(pods(names)).create));
      const { create, update, remove } = decide(pods(wanted), { slices });
      const made = [
        namesIn(create).map((n) => `+${n}`),
        namesIn(update).map((n) => `~${n}`),
        namesIn(remove).map((n) => `-${n}`),
      ];
      assert.equal(made.flat().join(" "), writes);
    });
  }
});

describe("hints by processors", () => {
  const auto = service({}, { "service.orch/topology-mode": "Auto" });
  const rows: readonly (readonly [shares: Readonly<Record<string, number>>, endpoints: number, told: string])[] = [
    [{ a: 0.75, b: 0.25 }, 8, "6 2"],
    [{ a: 0.5, b: 0.5 }, 6, "3 3"],
    [
      { a: 0.5, b: 0.5 },
      5,
      "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (5 endpoints, 2 zones)",
    ],
    [
      { a: 1 / 3, b: 1 / 3, c: 1 / 3 },
      4,
      "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (4 endpoints, 3 zones)",
    ],
    [{ a: 1 / 3, b: 1 / 3, c: 1 / 3 }, 2, "Insufficient number of endpoints (2 endpoints, 3 zones)"],
  ];
  for (const [shares, count, told] of rows) {
    test(`${count} endpoints in zones of ${Object.values(shares)
      .map((s) => s.toFixed(2))
      .join(", ")}: ${told}`, () => {
      const many = Array.from({ length: count }, (_, at) => pod(`p${at}`));
      const { create, events } = decide(many, { of: auto, max: 100, shares: new Map(Object.entries(shares)) });
      const zones = create.flatMap(endpointsOf).map(({ hints }) => hints?.forZones?.[0]?.name);
      const counted = Object.keys(shares).map((zone) => zones.filter((each) => each === zone).length);
      const [event] = events;
      if (event?.type === "Normal") assert.equal(counted.join(" "), told);
      else assert.equal(event?.message, `${told}, addressType: IPv4`);
    });
  }
  test("nodes that do not tell what they have", () => {
    const [event] = decide(pods("ab"), { of: auto }).events;
    assert.equal(event?.reason, "TopologyAwareHintsDisabled");
    assert.match(event.message, /^Insufficient Node information: /);
  });
  test("hints go when nobody asks for them any more", () => {
    const shares = new Map([
      ["a", 0.5],
      ["b", 0.5],
    ] as const);
    const slices = stored(decide(pods("ab"), { of: auto, shares }).create);
    const { update, events } = decide(pods("ab"), { slices, hinted: true });
    assert.deepEqual(
      update.flatMap(endpointsOf).map(({ hints }) => hints),
      [undefined, undefined],
    );
    assert.equal(events[0]?.message, "Topology Aware Hints has been disabled, addressType: IPv4");
  });
  test("PreferClose: each ready endpoint serves its own zone", () => {
    const of = service({ trafficDistribution: "PreferClose" });
    const unready = pod("b", { status: { conditions: [] } });
    const hints = decide([pod("a"), unready], { of })
      .create.flatMap(endpointsOf)
      .map((each) => each.hints);
    assert.deepEqual(hints, [{ forZones: [{ name: "a" }] }, undefined]);
  });
});
