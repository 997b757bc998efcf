import { createNaming } from "@orch/naming/naming.js";
import { decideSlices } from "@orch/service-controller-manager/endpoint-slices/decide-slices.js";
import type { Slice } from "@orch/service-controller-manager/endpoint-slices/objects.js";
import { sliceWords } from "@orch/service-controller-manager/endpoint-slices/slice-labels.js";
import type { SeenNode } from "@orch/service-controller-manager/seen/node.js";
import type { SeenPod } from "@orch/service-controller-manager/seen/pod.js";
import type { SeenService } from "@orch/service-controller-manager/seen/service.js";

/** A service with all that its slices are made from. */
export interface Case {
  readonly service: SeenService;
  readonly pods: readonly SeenPod[];
  readonly nodes: readonly SeenNode[];
  readonly slices: readonly Slice[];
  readonly max: number;
}

export type Draw = (below: number) => number;

/** Numbers below a bound, the same for the same seed. */
export function draws(seed: number): Draw {
  let state = (seed + 1) * 0x9e3779b1;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
  };
}

const zones = ["a", "b", "c"];
const words = sliceWords(createNaming("kubernetes"), "endpointslice-controller");

/** The case of a seed: a service in the middle of its life, whose slices are those of an earlier state. */
export function randomCase(seed: number): Case {
  const draw = draws(seed);
  const service = randomService(draw);
  const nodes = Array.from({ length: 1 + draw(6) }, (_, at) => randomNode(draw, at));
  const before = Array.from({ length: draw(25) }, (_, at) => randomPod(draw, at, nodes));
  const after = before.filter(() => draw(4) > 0).map((pod, at) => (draw(4) === 0 ? randomPod(draw, at, nodes) : pod));
  const added = Array.from({ length: draw(12) }, (_, at) => randomPod(draw, 100 + at, nodes));
  const max = 1 + draw(8);
  const slices = draw(5) === 0 ? [] : slicesOf({ service, pods: before, nodes, slices: [], max });
  const named = slices.map((slice, at) => changed(draw, slice, at));
  return { service, pods: [...after, ...added], nodes, slices: named, max };
}

function changed(draw: Draw, slice: Slice, at: number): Slice {
  const labels = draw(12) === 0 ? { ...slice.metadata.labels, stale: "yes" } : slice.metadata.labels;
  const owned = draw(20) > 0 ? {} : { ownerReferences: [] };
  const { generateName: _, ...metadata } = slice.metadata;
  return {
    ...slice,
    metadata: { ...metadata, name: `old-${at}`, uid: `s-${at}`, ...(labels === undefined ? {} : { labels }), ...owned },
  };
}

/** Those that our own rules make of nothing. */
function slicesOf({ service, pods, nodes, slices, max }: Case): readonly Slice[] {
  const nodeOf = (name: string) => {
    const node = nodes.find(({ metadata }) => metadata.name === name);
    return node === undefined ? undefined : { zone: node.metadata.labels?.["topology.kubernetes.io/zone"] ?? "" };
  };
  const options = { words, max, shares: undefined, hinted: false };
  return decideSlices({ service, pods, slices, nodeOf }, options).create;
}

function randomService(draw: Draw): SeenService {
  const families = [["IPv4"], ["IPv6"], ["IPv4", "IPv6"]][draw(3)] ?? [];
  const ports = [
    { name: "web", protocol: "TCP", port: 80, targetPort: draw(2) === 0 ? 8080 : "http" },
    { name: "dns", protocol: "UDP", port: 53, targetPort: "dns", appProtocol: "example.com/dns" },
  ];
  return {
    metadata: {
      name: "web",
      namespace: "default",
      uid: "service",
      labels: draw(3) === 0 ? { app: "web" } : {},
      annotations: draw(3) === 0 ? { "service.kubernetes.io/topology-mode": "Auto" } : {},
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: {
      ipFamilies: families,
      clusterIP: draw(4) === 0 ? "None" : "10.0.0.1",
      ports: ports.slice(0, 1 + draw(2)),
      publishNotReadyAddresses: draw(6) === 0,
      ...(draw(4) === 0 ? { trafficDistribution: "PreferClose" } : {}),
    },
  };
}

function randomNode(draw: Draw, at: number): SeenNode {
  const labels = draw(30) === 0 ? {} : { "topology.kubernetes.io/zone": zones[draw(3)] ?? "" };
  return {
    metadata: {
      name: `node-${at}`,
      labels: draw(12) === 0 ? { ...labels, "node-role.kubernetes.io/control-plane": "" } : labels,
    },
    status: {
      allocatable: { cpu: `${1 + draw(8)}` },
      conditions: [{ type: "Ready", status: draw(10) === 0 ? "Unknown" : "True" }],
    },
  };
}

function randomPod(draw: Draw, at: number, nodes: readonly SeenNode[]): SeenPod {
  const node = draw(25) === 0 ? "absent" : (nodes[draw(nodes.length)]?.metadata.name ?? "");
  const addresses = [{ ip: `10.1.0.${at + 1}` }, { ip: `fd00::${(at + 1).toString(16)}` }].slice(draw(8) === 0 ? 1 : 0);
  const http = { name: "http", containerPort: 8000 + draw(2), protocol: "TCP" };
  const dns = { name: "dns", containerPort: 53, protocol: "UDP" };
  return {
    metadata: {
      name: `pod-${at}`,
      namespace: "default",
      uid: `uid-${at}`,
      ...(draw(12) === 0 ? { deletionTimestamp: "2026-01-02T00:00:00Z" } : {}),
    },
    spec: {
      nodeName: node,
      ...(draw(6) === 0 ? { hostname: `host-${at}`, subdomain: "web" } : {}),
      containers: [{ ports: draw(3) === 0 ? [http] : [http, dns] }],
    },
    status: {
      phase: draw(15) === 0 ? "Succeeded" : "Running",
      ...(draw(15) === 0 ? {} : { podIP: addresses[0]?.ip ?? "", podIPs: addresses }),
      conditions: [{ type: "Ready", status: draw(6) === 0 ? "False" : "True" }],
    },
  };
}
