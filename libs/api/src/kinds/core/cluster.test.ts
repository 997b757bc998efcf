import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import fc from "fast-check";
import { loadCatalog } from "../../catalog.js";
import { createKindKit, type Tree, testContext } from "../../testing/kind-kit.js";
import {
  type CreateRow,
  type PartRow,
  testCreates,
  testParts,
  testUpdates,
  testValues,
  type UpdateRow,
  type ValueRow,
} from "../../testing/kind-rows.js";
import { prepareForPart, validatePart } from "../../writes.js";
import { packed, type Subset } from "./service/endpoint-subsets.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const subsetsOf = (...subsets: readonly Tree[]): Tree => ({ subsets });
const a = { ip: "10.0.0.1" };
const b = { ip: "10.0.0.2" };
const serviceOf = (spec: Tree, rest: Tree = {}): Tree => ({ ...rest, spec: { ports: [{ port: 80 }], ...spec } });
const balanced = (spec: Tree, rest: Tree = {}): Tree => serviceOf({ type: "LoadBalancer", ...spec }, rest);
const annotated = (annotations: Tree): Tree => ({ metadata: { annotations } });
const onlyBalanced = "may only be used when `type` is 'LoadBalancer'";
const cidr = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
const ranges = "service.beta.kubernetes.io/load-balancer-source-ranges";

const creates: readonly CreateRow[] = [
  ["Endpoints", "good", subsetsOf({ addresses: [{ ...a, hostname: "h", nodeName: "n1" }], ports: [{ port: 80 }] }), []],
  ["Endpoints", "of nobody", {}, []],
  [
    "Endpoints",
    "without addresses",
    subsetsOf({ ports: [{ port: 80 }] }),
    ["subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"],
  ],
  [
    "Endpoints",
    "of odd addresses",
    subsetsOf({ addresses: [{ ip: "x", hostname: "A", nodeName: "B" }], notReadyAddresses: [{ ip: "127.0.0.1" }] }),
    [
      /^subsets\[0\].addresses\[0\].hostname: Invalid value: "A": a lowercase RFC 1123 label must/,
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      /^subsets\[0\].addresses\[0\].nodeName: Invalid value: "B": a lowercase RFC 1123 subdomain must/,
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address',
      /^subsets\[0\].notReadyAddresses\[0\].ip: .*loopback range/,
    ],
  ],
  [
    "Endpoints",
    "of odd ports",
    subsetsOf({
      addresses: [a],
      ports: [{ port: 0 }, { port: 1, name: "A", protocol: "X", appProtocol: "a b" }],
    }),
    [
      "subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      /^subsets\[0\].ports\[1\].name: Invalid value: "A": a lowercase RFC 1123 label must/,
      'subsets[0].ports[1].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
      /^subsets\[0\].ports\[1\].appProtocol: Invalid value: "a b": name part must/,
      "subsets[0].ports[0].name: Required value",
    ],
  ],
  ["Binding", "good", { target: { name: "n1" } }, []],
  [
    "Binding",
    "to nothing",
    { target: { kind: "Pod" } },
    ['target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"', "target.name: Required value"],
  ],
  [
    "Node",
    "of odd amounts",
    { status: { capacity: { pods: "500m", memory: "-1" }, allocatable: { "example.com/gpu": "1500m" } } },
    [
      'status.capacity.pods: Invalid value: "500m": must be an integer',
      'status.capacity.memory: Invalid value: "-1": must be greater than or equal to 0',
      'status.allocatable.example.com/gpu: Invalid value: "1500m": must be an integer',
    ],
  ],
  [
    "Node",
    "with a taint twice",
    { spec: { taints: [1, 2].map(() => ({ key: "a", effect: "NoSchedule" })) } },
    [
      'metadata.taints[1]: Duplicate value: {"key":"a","effect":"NoSchedule"}: taints must be unique by key and effect pair',
    ],
  ],
  [
    "Service",
    "of two families",
    serviceOf({
      clusterIPs: ["10.0.0.1", "fd00::1"],
      clusterIP: "10.0.0.1",
      ipFamilyPolicy: "PreferDualStack",
      ipFamilies: ["IPv4", "IPv6"],
    }),
    [],
  ],
  [
    "Service",
    "of two families by a policy of one",
    serviceOf({
      clusterIPs: ["10.0.0.1", "fd00::1"],
      clusterIP: "10.0.0.1",
      ipFamilyPolicy: "SingleStack",
      ipFamilies: ["IPv4", "IPv6"],
    }),
    ["cluster IPs", "IP families"].map(
      (what) =>
        `spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    ),
  ],
  [
    "Service",
    "whose addresses disagree",
    serviceOf({
      clusterIP: "10.0.0.1",
      clusterIPs: ["10.0.0.2"],
      ipFamilies: ["IPv4", "IPv4"],
      ipFamilyPolicy: "PreferDualStack",
    }),
    [
      'spec.clusterIPs: Invalid value: ["10.0.0.2"]: first value must match `clusterIP`',
      'spec.ipFamilies[1]: Duplicate value: "IPv4"',
    ],
  ],
  [
    "Service",
    "of another family",
    serviceOf({ clusterIP: "fd00::1", ipFamilies: ["IPv4"] }),
    ['spec.clusterIPs[0]: Invalid value: "fd00::1": expected an IPv4 value as indicated by `ipFamilies[0]`'],
  ],
  [
    "Service",
    "with None among addresses",
    serviceOf({ clusterIP: "None", clusterIPs: ["None", "x"], ipFamilyPolicy: "PreferDualStack" }),
    [
      'spec.clusterIPs: Invalid value: ["None","x"]: \'None\' must be the first and only value',
      /^spec.clusterIPs\[1\]: Invalid value: "x": must be a valid IP address/,
    ],
  ],
  [
    "Service",
    "with addresses of one family",
    serviceOf({
      clusterIP: "10.0.0.1",
      clusterIPs: ["10.0.0.1", "10.0.0.2", "10.0.0.3"],
      ipFamilyPolicy: "PreferDualStack",
    }),
    [
      /^spec.clusterIPs: .*may only hold up to 2 values$/,
      /^spec.clusterIPs: .*may specify no more than one IP for each IP family$/,
    ],
  ],
  [
    "Service",
    "outside on odd addresses",
    serviceOf({ externalIPs: ["x", "0.0.0.0"] }),
    [
      'spec.externalIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'spec.externalIPs[1]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
    ],
  ],
  [
    "Service",
    "that opens the nodes' own port",
    balanced({ ports: [{ port: 10_250 }] }),
    ["spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by kubelet"],
  ],
  ["Service", "for some callers", balanced({ loadBalancerSourceRanges: [" 10.0.0.0/8 "] }), []],
  [
    "Service",
    "for odd callers",
    balanced({ loadBalancerSourceRanges: ["10.0.0.0"] }),
    [`spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0.0": ${cidr}`],
  ],
  [
    "Service",
    "with a balancer's settings and none",
    serviceOf({
      loadBalancerSourceRanges: ["10.0.0.0/8"],
      allocateLoadBalancerNodePorts: false,
      loadBalancerClass: "a/b",
    }),
    [
      `spec.LoadBalancerSourceRanges: Forbidden: ${onlyBalanced}`,
      `spec.allocateLoadBalancerNodePorts: Forbidden: ${onlyBalanced}`,
      `spec.loadBalancerClass: Forbidden: ${onlyBalanced}`,
    ],
  ],
  [
    "Service",
    "for callers in an annotation",
    serviceOf({}, annotated({ [ranges]: "10.0.0.0/8, x" })),
    [
      `metadata.annotations[${ranges}]: Forbidden: ${onlyBalanced}`,
      `metadata.annotations[${ranges}]: Invalid value: "x": ${cidr}`,
    ],
  ],
  [
    "Service",
    "with two words on topology",
    serviceOf(
      {},
      annotated({ "service.kubernetes.io/topology-aware-hints": "Auto", "service.kubernetes.io/topology-mode": "Off" }),
    ),
    [
      'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "Off": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
    ],
  ],
];
testCreates(kit, creates);

const family =
  "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be 'SingleStack' to release the secondary";
const one = { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"], ipFamilies: ["IPv4"] };
const two = {
  clusterIP: "10.0.0.1",
  clusterIPs: ["10.0.0.1", "fd00::1"],
  ipFamilies: ["IPv4", "IPv6"],
  ipFamilyPolicy: "PreferDualStack",
};
const updates: readonly UpdateRow[] = [
  ["Service", "that gets a second address", serviceOf(two), serviceOf(one), []],
  [
    "Service",
    "that gives a second address back",
    serviceOf({ ...one, ipFamilyPolicy: "SingleStack" }),
    serviceOf(two),
    [],
  ],
  [
    "Service",
    "that gives a second address back by a policy of two",
    serviceOf({ ...one, ipFamilyPolicy: "PreferDualStack" }),
    serviceOf(two),
    [`${family} cluster IP`, `${family} IP family`],
  ],
  [
    "Service",
    "of other first family",
    serviceOf({ clusterIP: "None", ipFamilies: ["IPv6"] }),
    serviceOf({ clusterIP: "None", ipFamilies: ["IPv4"] }),
    [],
  ],
  [
    "Service",
    "of another class",
    balanced({ loadBalancerClass: "a/c" }),
    balanced({ loadBalancerClass: "a/b" }),
    ['spec.loadBalancerClass: Invalid value: "a/c": may not change once set'],
  ],
  [
    "Service",
    "of another health port",
    balanced({ externalTrafficPolicy: "Local", healthCheckNodePort: 30_001 }),
    balanced({ externalTrafficPolicy: "Local", healthCheckNodePort: 30_000 }),
    ["spec.healthCheckNodePort: Forbidden: field is immutable"],
  ],
  ["Service", "that needs no balancer any more", serviceOf({ externalTrafficPolicy: "Cluster" }), balanced({}), []],
  ["Node", "that gets its range and provider", { spec: { podCIDR: "10.0.0.0/24", providerID: "p" } }, {}, []],
  [
    "Node",
    "of another provider and id",
    { spec: { providerID: "q", externalID: "e" } },
    { spec: { providerID: "p" } },
    [
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
      "spec.externalID: Forbidden: may not be updated",
    ],
  ],
];
testUpdates(kit, updates);

const values: readonly ValueRow[] = [
  ["Node", "forgets where its configuration was", { spec: { configSource: {} } }, "spec.configSource", undefined],
  [
    "Node",
    "rounds what it has up",
    { status: { capacity: { cpu: "1u" } } },
    "status",
    { capacity: { cpu: "1m" }, allocatable: { cpu: "1m" } },
  ],
  [
    "Endpoints",
    "speak TCP",
    subsetsOf({ addresses: [a], ports: [{ port: 80 }] }),
    "subsets",
    [{ addresses: [a], ports: [{ port: 80, protocol: "TCP" }] }],
  ],
  [
    "Endpoints",
    "stay as they were sent",
    subsetsOf({ addresses: [b, a], ports: [{ port: 80 }] }, { addresses: [a] }),
    "subsets",
    [{ addresses: [b, a], ports: [{ port: 80, protocol: "TCP" }] }, { addresses: [a] }],
  ],
];
testValues(kit, values);

for (const [what, given, expected] of [
  ["in order", [{ addresses: [b, a] }], [{ addresses: [a, b] }]],
  [
    "of one port",
    [
      { addresses: [b], ports: [{ port: 80 }] },
      { addresses: [a], ports: [{ port: 80 }] },
    ],
    [{ addresses: [a, b], ports: [{ port: 80 }] }],
  ],
  [
    "of two ports",
    [
      { addresses: [a], ports: [{ port: 80 }, { port: 443 }] },
      { addresses: [b], ports: [{ port: 80 }] },
    ],
    [
      { addresses: [a, b], ports: [{ port: 80 }] },
      { addresses: [a], ports: [{ port: 443 }] },
    ],
  ],
  [
    "given twice",
    [
      { addresses: [a], ports: [{ port: 80 }] },
      { addresses: [a], ports: [{ port: 80 }] },
    ],
    [{ addresses: [a], ports: [{ port: 80 }] }],
  ],
  ["ready and not", [{ addresses: [a], notReadyAddresses: [a] }], [{ notReadyAddresses: [a] }]],
  [
    "of pods that took over an address",
    [
      {
        addresses: [
          { ...a, targetRef: { uid: "1" } },
          { ...a, targetRef: { uid: "2" } },
        ],
      },
    ],
    [
      {
        addresses: [
          { ...a, targetRef: { uid: "1" } },
          { ...a, targetRef: { uid: "2" } },
        ],
      },
    ],
  ],
] as const) {
  test(`subsets ${what} are packed`, () => {
    const result = packed(given);
    assert.equal(result.length, expected.length);
    for (const subset of expected)
      assert.ok(
        result.some((r) => JSON.stringify(r) === JSON.stringify(subset)),
        JSON.stringify(result),
      );
  });
}

const reachable = (subsets: readonly Subset[]): ReadonlySet<string> =>
  new Set(
    subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
      (ports.length > 0 ? ports : [undefined]).flatMap((port) => {
        const known = new Set(notReadyAddresses.map(({ ip }) => ip));
        return [
          ...addresses.filter(({ ip }) => !known.has(ip)).map(({ ip }) => `${ip} ${port?.port} ready`),
          ...[...known].map((ip) => `${ip} ${port?.port}`),
        ];
      }),
    ),
  );

test("packing changes nothing that can be reached, and twice is as once", () => {
  const address = fc.constantFrom(a, b, { ip: "10.0.0.3" });
  const subset = fc
    .record({
      addresses: fc.array(address),
      ports: fc.array(fc.constantFrom({ port: 80 }, { port: 81 }), { minLength: 1 }),
    })
    .filter(({ addresses }) => addresses.length > 0);
  fc.assert(
    fc.property(fc.array(subset), (subsets) => {
      const once = packed(subsets);
      assert.deepEqual(reachable(once), reachable(subsets));
      assert.deepEqual(packed(once), once);
    }),
  );
});

const ingress = (...entries: readonly Tree[]): Tree => ({ status: { loadBalancer: { ingress: entries } } });
const parts: readonly PartRow[] = [
  [
    "Service/status",
    "that is reached",
    balanced({}, ingress({ ip: "10.0.0.1" }, { hostname: "a.example" })),
    balanced({}),
    [],
  ],
  [
    "Service/status",
    "that is reached without a balancer",
    serviceOf({}, ingress({ ip: "10.0.0.1" })),
    serviceOf({}),
    ["status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"],
  ],
  [
    "Service/status",
    "that is reached oddly",
    balanced(
      {},
      ingress(
        { ip: "x" },
        { ipMode: "VIP" },
        { ip: "10.0.0.1", ipMode: "X" },
        { hostname: "10.0.0.1" },
        { hostname: "A_" },
      ),
    ),
    balanced({}),
    [
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      "status.loadBalancer.ingress[1].ipMode: Forbidden: may not be specified when `ip` is not set",
      'status.loadBalancer.ingress[2].ipMode: Unsupported value: "X": supported values: "Proxy", "VIP"',
      'status.loadBalancer.ingress[3].hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
      /^status.loadBalancer.ingress\[4\].hostname: Invalid value: "A_": a lowercase RFC 1123 subdomain must/,
    ],
  ],
  ["Node/status", "that is there", { status: { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] } }, {}, []],
  [
    "Node/status",
    "of odd values",
    {
      status: {
        capacity: { pods: "500m" },
        addresses: [1, 2].map(() => ({ type: "InternalIP", address: "10.0.0.1" })),
      },
    },
    {},
    [
      'status.capacity.pods: Invalid value: "500m": must be an integer',
      'status.allocatable.pods: Invalid value: "500m": must be an integer',
      'status.addresses[1]: Duplicate value: {"type":"InternalIP","address":"10.0.0.1"}',
    ],
  ],
  ["Namespace/status", "that stays", { status: { phase: "Active" } }, {}, []],
  [
    "Namespace/status",
    "that goes",
    { status: { phase: "Terminating" } },
    {},
    ["status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"],
  ],
  [
    "Namespace/finalize",
    "by an odd name",
    { spec: { finalizers: ["mine"] } },
    {},
    [
      /^spec.finalizers\[0\]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified$/,
    ],
  ],
];
testParts(kit, parts);

test("a balancer's address keeps its traffic's destination", () => {
  const written = kit.part("Service", "status", {
    tree: balanced({}, ingress({ ip: "10.0.0.1" })),
    before: balanced({}),
  });
  assert.deepEqual(written["status"], { loadBalancer: { ingress: [{ ip: "10.0.0.1", ipMode: "VIP" }] } });
});

test("a service that needs no balancer any more forgets where it was reached", () => {
  const old = { ...kit.created("Service", balanced({})), ...ingress({ ip: "10.0.0.1", ipMode: "VIP" }) };
  const next = kit.updated("Service", serviceOf({ externalTrafficPolicy: "Cluster" }), old);
  assert.deepEqual(next["status"], { loadBalancer: {} });
  assert.deepEqual(Object.keys(next["spec"] as object).includes("externalTrafficPolicy"), false);
});

test("finalize changes the finalizers of a namespace and nothing else", () => {
  const before = { metadata: { labels: { a: "b" } } };
  const tree = { ...before, spec: { finalizers: ["example.com/mine"] }, status: { phase: "Terminating" } };
  const written = kit.part("Namespace", "finalize", { tree, before });
  assert.deepEqual(written["spec"], { finalizers: ["example.com/mine"] });
  assert.deepEqual(written["status"], { phase: "Active" });
  assert.deepEqual(kit.part("Namespace", "finalize", { tree: {}, before })["spec"], {});
});

test("a namespace that is being deleted can only be terminating", () => {
  const kind = kit.kind("Namespace");
  const stored = kit.created("Namespace", {});
  const old = { ...stored, metadata: { ...stored.metadata, deletionTimestamp: testContext.now } };
  const errors = (phase: string) => {
    const object = prepareForPart(kind, { name: "status", object: { ...old, status: { phase } }, old }, testContext);
    return validatePart(kind, { name: "status", object, old }).map((e) => `${e.field}: ${e.message}`);
  };
  assert.deepEqual(errors("Terminating"), []);
  assert.deepEqual(errors("Active"), [
    "status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty",
  ]);
});

test("a write of a node's status leaves its spec", () => {
  const tree = { spec: { unschedulable: true }, status: { phase: "Running", config: { error: "e" } } };
  const written = kit.part("Node", "status", { tree, before: { spec: { podCIDR: "10.0.0.0/24" } } });
  assert.deepEqual(written["spec"], { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] });
  assert.deepEqual(written["status"], { phase: "Running" });
});
