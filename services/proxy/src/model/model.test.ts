import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { endpoint, type Said, service, slice } from "../testing/objects.js";
import { balance, externalWay, internalWay } from "./balance.js";
import { createCluster } from "./cluster.js";
import { endpointsOf } from "./endpoints.js";
import { isWithin, networksOf } from "./family.js";
import { detectionOf, nodePortsOf } from "./node.js";
import type { RawService } from "./objects.js";
import { servicePorts } from "./service-port.js";

const place = { family: "IPv4", hostname: "here" } as const;

describe("ports of services", () => {
  const skipped: readonly (readonly [string, RawService])[] = [
    ["one of another name", service("ns1/svc1", { type: "ExternalName", clusterIP: "" })],
    ["one without an address", service("ns1/svc1", { clusterIP: "None" })],
    ["one that waits for its address", service("ns1/svc1", { clusterIP: "" })],
    ["one of the other family", service("ns1/svc1", { clusterIP: "fd00::1" })],
    ["one whose name no server lets pass", service('ns1/svc1" ; flush ruleset')],
  ];
  for (const [what, skip] of skipped) {
    test(`${what} has no rules`, () => assert.deepEqual(servicePorts(skip, "IPv4"), []));
  }

  test("a port has a key, a text and what rules need", () => {
    const [port] = servicePorts(service("ns1/svc1"), "IPv4");
    assert.deepEqual([port?.key, port?.text, port?.clusterIp], ["ns1/svc1/tcp/p80", "ns1/svc1:p80", "172.30.0.41"]);
    const [plain] = servicePorts(service("ns1/svc1", { ports: [{ port: 53, protocol: "UDP" }] }), "IPv4");
    assert.deepEqual([plain?.key, plain?.text], ["ns1/svc1/udp/", "ns1/svc1"]);
  });

  test("a load balancer's addresses count where connections keep them", () => {
    const ingress = [{ ip: "192.0.2.1" }, { ip: "192.0.2.2", ipMode: "VIP" }, { ip: "192.0.2.3", ipMode: "Proxy" }];
    const status = { loadBalancer: { ingress } };
    const [port] = servicePorts(service("a/b", { type: "LoadBalancer" }, status), "IPv4");
    assert.deepEqual(port?.loadBalancerIps, ["192.0.2.1", "192.0.2.2"]);
    assert.deepEqual(servicePorts(service("a/b", { type: "NodePort" }, status), "IPv4")[0]?.loadBalancerIps, []);
  });

  test("each family has its own addresses", () => {
    const both = service("a/b", { clusterIPs: ["172.30.0.1", "fd00::a"], externalIPs: ["fd00::0:b", "10.0.0.9"] });
    assert.deepEqual(servicePorts(both, "IPv4")[0]?.externalIps, ["10.0.0.9"]);
    assert.deepEqual(servicePorts(both, "IPv6")[0]?.externalIps, ["fd00::b"]);
    assert.equal(servicePorts(both, "IPv6")[0]?.clusterIp, "fd00::a");
  });

  test("clients stay with their endpoint for three hours unless the service says for how long", () => {
    const sticky = (sessionAffinityConfig = {}) =>
      servicePorts(service("a/b", { sessionAffinity: "ClientIP", sessionAffinityConfig }), "IPv4")[0];
    assert.equal(sticky()?.affinitySeconds, 10_800);
    assert.equal(sticky({ clientIP: { timeoutSeconds: 5 } })?.affinitySeconds, 5);
  });
});

test("networks that others contain are left out", () => {
  const texts = ["10.1.0.0/16", "10.0.0.0/8", "10.9.8.7/8", " 192.0.2.0/24", "fd00::/8", "nonsense"];
  assert.deepEqual(networksOf(texts, "IPv4"), ["10.0.0.0/8", "192.0.2.0/24"]);
  assert.ok(isWithin("10.2.3.4", ["10.0.0.0/8"]));
  assert.ok(isWithin("10.2.3.4", ["10.2.3.4/32"]));
  assert.ok(!isWithin("11.2.3.4", ["10.0.0.0/8", "fd00::/8"]));
});

test("an endpoint in two slices counts once, in its best state", () => {
  const slices = [
    slice([endpoint("10.0.0.2"), endpoint("10.0.0.1", { ready: false, serving: true, terminating: true })]),
    slice([endpoint("10.0.0.1"), endpoint("fd00::1")]),
    slice([endpoint("fd00::1")], { addressType: "IPv6" }),
    slice([endpoint("10.0.0.3")], { ports: [{ name: "other", port: 80 }] }),
  ];
  const port = { portName: "p80", protocol: "tcp" } as const;
  for (const order of [slices, slices.toReversed()]) {
    const found = endpointsOf(order, port, place);
    assert.deepEqual(
      found.map(({ text, ready }) => [text, ready]),
      [
        ["10.0.0.1:80", true],
        ["10.0.0.2:80", true],
      ],
    );
  }
});

describe("which endpoints are used", () => {
  const leaving: Said = { ready: false, serving: true, terminating: true };
  const gone: Said = { ready: false, serving: false, terminating: true };
  const nodePort = { type: "NodePort", ports: [{ name: "p80", port: 80, nodePort: 30_080 }] };
  interface Row {
    readonly what: string;
    readonly spec?: RawService["spec"];
    readonly said: readonly Said[];
    readonly cluster: readonly number[];
    readonly local?: readonly number[];
    readonly ways?: readonly [string, string];
    readonly zone?: string;
  }
  const rows: readonly Row[] = [
    { what: "none", said: [], cluster: [], ways: ["rejected", "rejected"] },
    { what: "ready ones", said: [{}, { ready: false }, {}], cluster: [0, 2] },
    { what: "ready ones before those that leave", said: [{}, leaving], cluster: [0] },
    { what: "those that leave where none is ready", said: [leaving, gone, leaving], cluster: [0, 2] },
    { what: "nothing where all are gone", said: [gone], cluster: [], ways: ["rejected", "rejected"] },
    {
      what: "local ones for local internal traffic",
      spec: { internalTrafficPolicy: "Local" },
      ...{ said: [{}, { here: true }], cluster: [], local: [1] },
    },
    {
      what: "nothing for local internal traffic without local ones",
      spec: { internalTrafficPolicy: "Local" },
      ...{ said: [{}], cluster: [], local: [], ways: ["dropped", "balanced"] },
    },
    {
      what: "both for local external traffic",
      spec: { ...nodePort, externalTrafficPolicy: "Local" },
      ...{ said: [{}, { here: true }], cluster: [0, 1], local: [1] },
    },
    {
      what: "local ones that leave before none",
      spec: { ...nodePort, externalTrafficPolicy: "Local" },
      ...{ said: [{}, { ...leaving, here: true }], cluster: [0], local: [1] },
    },
    {
      what: "nothing from outside without local ones",
      spec: { ...nodePort, externalTrafficPolicy: "Local" },
      ...{ said: [{}], cluster: [0], local: [], ways: ["balanced", "dropped"] },
    },
    {
      what: "the policy of external traffic only where there is some",
      spec: { externalTrafficPolicy: "Local" },
      ...{ said: [{}, { here: true }], cluster: [0, 1], local: [] },
    },
    { what: "those of the zone", said: [{ zones: ["a"] }, { zones: ["b"] }], zone: "a", cluster: [0] },
    { what: "all where one has no hint", said: [{ zones: ["a"] }, {}], zone: "a", cluster: [0, 1] },
    { what: "all where none is for the zone", said: [{ zones: ["b"] }, { zones: ["b"] }], zone: "a", cluster: [0, 1] },
    { what: "all on a node without a zone", said: [{ zones: ["a"] }, { zones: ["b"] }], zone: "", cluster: [0, 1] },
    {
      what: "those of the zone, whatever hints the ones have that are not ready",
      ...{ said: [{ zones: ["a"] }, { ...leaving }, { zones: ["b"] }], zone: "a", cluster: [0] },
    },
  ];
  for (const { what, spec = {}, said, cluster, local = [], ways, zone = "" } of rows) {
    test(what, () => {
      const [port] = servicePorts(service("ns1/svc1", spec), "IPv4");
      assert.ok(port);
      const raw = slice(said.map((each, i) => endpoint(`10.0.0.${i}`, each)));
      const balanced = balance(port, endpointsOf([raw], port, place), zone);
      const named = (numbers: readonly number[]) => numbers.map((i) => `10.0.0.${i}:80`);
      assert.deepEqual(
        balanced.cluster.map(({ text }) => text),
        named(cluster),
      );
      assert.deepEqual(
        balanced.local.map(({ text }) => text),
        named(local),
      );
      if (ways !== undefined) assert.deepEqual([internalWay(balanced), externalWay(balanced)], ways);
    });
  }
});

describe("the node", () => {
  const node = {
    addresses: ["10.0.0.5", "fd00::5"],
    podNetworks: ["10.1.0.0/24"],
    interfaceAddresses: ["127.0.0.1", "10.0.0.5", "192.0.2.5"],
  };
  test("node ports are taken at all addresses, the node's own, or those of networks", () => {
    assert.equal(nodePortsOf([], node, "IPv4"), "all");
    assert.equal(nodePortsOf(["0.0.0.0/0"], node, "IPv4"), "all");
    assert.deepEqual(nodePortsOf(["primary"], node, "IPv6"), ["fd00::5"]);
    assert.deepEqual(nodePortsOf(["10.0.0.0/8", "192.0.2.5/32"], node, "IPv4"), ["10.0.0.5", "192.0.2.5"]);
  });
  test("pods are known by the cluster's network, the node's, or an interface", () => {
    const config = { clusterCIDR: "10.0.0.0/8,fd00::/8", detectLocalMode: "ClusterCIDR" };
    const detectLocal = { bridgeInterface: "br0", interfaceNamePrefix: "veth" };
    const by = (detectLocalMode: string, at = node) =>
      detectionOf({ ...config, detectLocal, detectLocalMode }, at, "IPv4");
    assert.deepEqual(by("ClusterCIDR"), { by: "source", network: "10.0.0.0/8" });
    assert.deepEqual(by("NodeCIDR"), { by: "source", network: "10.1.0.0/24" });
    assert.equal(by("NodeCIDR", { ...node, podNetworks: [] }), undefined);
    assert.deepEqual(by("BridgeInterface"), { by: "interface", name: "br0", isPrefix: false });
    assert.deepEqual(by("InterfaceNamePrefix"), { by: "interface", name: "veth", isPrefix: true });
    assert.deepEqual(detectionOf({ ...config, detectLocal, clusterCIDR: "" }, node, "IPv4"), { by: "nothing" });
  });
});

test("only services that have changed are taken", () => {
  const cluster = createCluster({ hostname: "here", families: ["IPv4", "IPv6"] });
  cluster.service("ns1/svc1", service("ns1/svc1"));
  cluster.service("ns1/svc2", service("ns1/svc2", { clusterIP: "172.30.0.42" }));
  assert.deepEqual(
    cluster.take().map((each) => each.service),
    ["ns1/svc1", "ns1/svc2"],
  );
  assert.ok(!cluster.hasChanges);
  cluster.slice("ns1/a", "ns1/svc2", slice([endpoint("10.0.0.1")]));
  const [changed, ...rest] = cluster.take();
  assert.deepEqual([changed?.service, rest], ["ns1/svc2", []]);
  assert.deepEqual(
    changed?.ports.IPv4[0]?.cluster.map(({ text }) => text),
    ["10.0.0.1:80"],
  );
  // A slice that becomes another service's changes both.
  cluster.slice("ns1/a", "ns1/svc1", slice([endpoint("10.0.0.1")]));
  assert.deepEqual(
    cluster.take().map(({ service: name, ports }) => [name, ports.IPv4[0]?.hasEndpoints]),
    [
      ["ns1/svc1", true],
      ["ns1/svc2", false],
    ],
  );
  cluster.service("ns1/svc1", undefined);
  assert.deepEqual(cluster.take()[0]?.ports, { IPv4: [], IPv6: [] });
});

test("a health check counts the pods of the node", () => {
  const cluster = createCluster({ hostname: "here", families: ["IPv4"] });
  const spec = {
    type: "LoadBalancer",
    externalTrafficPolicy: "Local",
    healthCheckNodePort: 30_200,
    ports: [
      { name: "p80", port: 80, nodePort: 30_080 },
      { name: "p81", port: 81, nodePort: 30_081 },
    ],
  };
  cluster.service("ns1/svc1", service("ns1/svc1", spec));
  const ports = [
    { name: "p80", port: 80 },
    { name: "p81", port: 81 },
  ];
  cluster.slice("ns1/a", "ns1/svc1", slice([endpoint("10.0.0.1", { here: true }), endpoint("10.0.0.2")], { ports }));
  cluster.take();
  assert.deepEqual(cluster.healthChecks(), [{ service: "ns1/svc1", nodePort: 30_200, localEndpoints: 1 }]);
});
