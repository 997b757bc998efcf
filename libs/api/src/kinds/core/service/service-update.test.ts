import assert from "node:assert/strict";
import { test } from "node:test";
import { withFamilies } from "./service-families.js";
import type { ServiceSpec } from "./service-spec.js";
import { updatedSpec, withAddressList } from "./service-update.js";

const dual = ["IPv4", "IPv6"];
const selector = { app: "web" };

type FamilyRow = readonly [what: string, spec: ServiceSpec, cluster: readonly string[], policy: string, of: string];

const families: readonly FamilyRow[] = [
  ["nothing said", { selector }, ["IPv4"], "SingleStack", "IPv4"],
  ["nothing said, a cluster of IPv6", { selector }, ["IPv6"], "SingleStack", "IPv6"],
  ["nothing said, a cluster of both", { selector }, dual, "SingleStack", "IPv4"],
  ["both preferred, one there", { selector, ipFamilyPolicy: "PreferDualStack" }, ["IPv4"], "PreferDualStack", "IPv4"],
  ["both preferred, both there", { selector, ipFamilyPolicy: "PreferDualStack" }, dual, "PreferDualStack", "IPv4,IPv6"],
  [
    "the second one first",
    { selector, ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv6"] },
    dual,
    "RequireDualStack",
    "IPv6,IPv4",
  ],
  ["an address of the second", { selector, clusterIP: "fd00::9" }, dual, "SingleStack", "IPv6"],
  ["headless", { selector, clusterIP: "None" }, dual, "SingleStack", "IPv4"],
  [
    "headless for both",
    { selector, clusterIP: "None", ipFamilyPolicy: "PreferDualStack" },
    dual,
    "PreferDualStack",
    "IPv4,IPv6",
  ],
  ["headless without selector", { clusterIP: "None" }, ["IPv4"], "RequireDualStack", "IPv4,IPv6"],
  [
    "headless without selector, single",
    { clusterIP: "None", ipFamilyPolicy: "SingleStack" },
    ["IPv4"],
    "SingleStack",
    "IPv4",
  ],
];

for (const [what, spec, cluster, policy, of] of families) {
  test(`families of a new service: ${what}`, () => {
    const filled = withFamilies(withAddressList(spec), undefined, cluster);
    assert.deepEqual([filled.ipFamilyPolicy, filled.ipFamilies?.join()], [policy, of]);
  });
}

test("a name has no families", () => {
  const spec = { type: "ExternalName", externalName: "a.b" };
  assert.equal(withFamilies(spec, undefined, dual), spec);
});

const one: ServiceSpec = {
  type: "ClusterIP",
  selector,
  clusterIP: "10.0.0.20",
  clusterIPs: ["10.0.0.20"],
  ipFamilies: ["IPv4"],
  ipFamilyPolicy: "SingleStack",
  ports: [{ name: "a", protocol: "TCP", port: 80 }],
};
const two: ServiceSpec = {
  ...one,
  clusterIPs: ["10.0.0.20", "fd00::20"],
  ipFamilies: dual,
  ipFamilyPolicy: "PreferDualStack",
};
const bare: ServiceSpec = { type: "ClusterIP", selector, ports: [{ name: "a", protocol: "TCP", port: 80 }] };
const node: ServiceSpec = { ...one, type: "NodePort", ports: [{ name: "a", port: 80, nodePort: 30_080 }] };
const unasked: ServiceSpec = {
  ...node,
  type: "LoadBalancer",
  externalTrafficPolicy: "Local",
  allocateLoadBalancerNodePorts: true,
  loadBalancerClass: "a/b",
};
const balanced: ServiceSpec = { ...unasked, healthCheckNodePort: 30_100 };

type UpdateRow = readonly [
  what: string,
  spec: ServiceSpec,
  old: ServiceSpec,
  changed: Readonly<Record<string, unknown>>,
];

/** The fields that the new state has other than the old one; undefined for those that are gone. */
const updates: readonly UpdateRow[] = [
  ["leaves its addresses out", bare, one, {}],
  ["leaves both addresses out", bare, two, {}],
  ["says the first address alone", { ...bare, clusterIP: "10.0.0.20" }, two, {}],
  [
    "says another address alone",
    { ...two, clusterIP: "10.0.0.21" },
    two,
    { clusterIP: "10.0.0.21", clusterIPs: ["10.0.0.21"] },
  ],
  [
    "goes back to one",
    { ...two, ipFamilyPolicy: "SingleStack" },
    two,
    { ipFamilyPolicy: "SingleStack", clusterIPs: ["10.0.0.20"], ipFamilies: ["IPv4"] },
  ],
  [
    "asks for both",
    { ...one, ipFamilyPolicy: "RequireDualStack" },
    one,
    { ipFamilyPolicy: "RequireDualStack", ipFamilies: dual },
  ],
  [
    "preferred both when there was one, and still does",
    { ...one, ipFamilyPolicy: "PreferDualStack" },
    { ...one, ipFamilyPolicy: "PreferDualStack" },
    {},
  ],
  [
    "becomes a name",
    { ...one, type: "ExternalName", externalName: "a.b" },
    one,
    {
      type: "ExternalName",
      externalName: "a.b",
      clusterIP: undefined,
      clusterIPs: undefined,
      ipFamilies: undefined,
      ipFamilyPolicy: undefined,
    },
  ],
  ["leaves its node ports out", { ...node, ports: [{ name: "a", port: 80 }] }, node, {}],
  [
    "gives its node port to another port",
    {
      ...node,
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 81, nodePort: 30_080 },
      ],
    },
    node,
    {
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 81, nodePort: 30_080 },
      ],
    },
  ],
  ["goes inside again", { ...node, type: "ClusterIP" }, node, { type: "ClusterIP", ports: [{ name: "a", port: 80 }] }],
  [
    "goes inside with a node port of its own",
    { ...node, type: "ClusterIP", ports: [{ name: "a", port: 80, nodePort: 30_081 }] },
    node,
    { type: "ClusterIP", ports: [{ name: "a", port: 80, nodePort: 30_081 }] },
  ],
  ["leaves its health port out", unasked, balanced, {}],
  [
    "is open to the whole cluster",
    { ...balanced, externalTrafficPolicy: "Cluster" },
    balanced,
    { externalTrafficPolicy: "Cluster", healthCheckNodePort: undefined },
  ],
  [
    "gives up its balancer",
    { ...balanced, type: "NodePort" },
    balanced,
    {
      type: "NodePort",
      healthCheckNodePort: undefined,
      allocateLoadBalancerNodePorts: undefined,
      loadBalancerClass: undefined,
    },
  ],
];

for (const [what, given, old, changed] of updates) {
  test(`an update that ${what}`, () => {
    const wanted = { ...old, ...changed };
    assert.deepEqual(JSON.parse(JSON.stringify(updatedSpec(given, old, dual))), JSON.parse(JSON.stringify(wanted)));
  });
}
