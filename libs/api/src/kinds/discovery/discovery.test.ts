import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import { testCreates, testValues } from "../../testing/kind-rows.js";
import { fromHub } from "../../writes.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const Beta = "discovery.k8s.io/v1beta1.EndpointSlice";
const V1 = "discovery.k8s.io/v1.EndpointSlice";
const hostname = "kubernetes.io/hostname";
const zone = "topology.kubernetes.io/zone";
const addresses = ["10.0.0.1"];
const sliceOf = (endpoint: Tree, more: Tree = {}) => ({
  addressType: "IPv4",
  endpoints: [{ addresses, ...endpoint }],
  ...more,
});

const topologies: readonly (readonly [string, Tree, Tree])[] = [
  ["its zone and node", { nodeName: "n1", topology: { [zone]: "z", [hostname]: "n1" } }, { nodeName: "n1", zone: "z" }],
  ["a host of another name", { topology: { [hostname]: "h" } }, { deprecatedTopology: { [hostname]: "h" } }],
  ["labels of its own", { topology: { rack: "7" } }, { deprecatedTopology: { rack: "7" } }],
  ["none", {}, {}],
];
for (const [what, old, stored] of topologies) {
  test(`the topology of an old endpoint with ${what} is kept, there and back`, () => {
    const object = kit.created(Beta, sliceOf(old));
    assert.deepEqual(object["endpoints"], [{ addresses, ...stored }]);
    assert.deepEqual(fromHub(kit.kind(Beta), object)["endpoints"], [{ addresses, ...old }]);
  });
}

test("a node that only v1 names is in the topology of v1beta1", () => {
  const stored = kit.created(V1, sliceOf({ nodeName: "n1", zone: "z" }));
  assert.deepEqual(fromHub(kit.kind(Beta), stored)["endpoints"], [
    { addresses, nodeName: "n1", topology: { [zone]: "z", [hostname]: "n1" } },
  ]);
});

test("v1 does not write topology, v1beta1 does", () => {
  const old = kit.created(Beta, sliceOf({ topology: { rack: "7" } }));
  const endpoints = (kind: string, tree: Tree) => kit.updated(kind, sliceOf(tree), old)["endpoints"];
  assert.deepEqual(endpoints(Beta, { topology: { rack: "8" } }), [{ addresses, deprecatedTopology: { rack: "8" } }]);
  assert.deepEqual(endpoints(V1, { deprecatedTopology: { rack: "8" } }), [{ addresses }]);
  assert.deepEqual(endpoints(V1, { deprecatedTopology: { rack: "7" } }), [
    { addresses, deprecatedTopology: { rack: "7" } },
  ]);
});

const slice = (more: Tree): Tree => ({ addressType: "IPv4", ...more });
testCreates(kit, [
  [V1, "without endpoints", slice({}), ["endpoints: Required value"]],
  [Beta, "without endpoints", slice({}), ["endpoints: Required value"]],
  [
    V1,
    "with names that are empty",
    slice({
      endpoints: [{ addresses: ["10.0.0.1"], nodeName: "", hostname: "" }],
      ports: [{ name: "", port: 80, protocol: "", appProtocol: "" }],
    }),
    [
      'ports[0].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"',
      /^endpoints\[0\].nodeName: Invalid value: "": a lowercase RFC 1123 subdomain/,
      /^endpoints\[0\].hostname: Invalid value: "": a lowercase RFC 1123 label/,
      'ports[0].appProtocol: Invalid value: "": name part must be non-empty',
      /^ports\[0\].appProtocol: Invalid value: "": name part must consist/,
    ],
  ],
  [V1, "with an empty list of endpoints", slice({ endpoints: [] }), []],
  [V1, "with no endpoints as Go's clients write them", slice({ endpoints: null }), []],
  [Beta, "with no endpoints as Go's clients write them", slice({ endpoints: null }), []],
  [
    V1,
    "with an address twice",
    sliceOf({ addresses: ["10.0.0.1", "10.0.0.2", "10.0.0.1"] }),
    ['endpoints[0].addresses[2]: Duplicate value: "10.0.0.1"'],
  ],
  [
    V1,
    "with ports that are none",
    sliceOf({}, { ports: [0, -1, 65_536, 1, 65_535].map((port) => ({ name: `p${port + 1}`, port })) }),
    [0, -1, 65_536].map(
      (port, i) => `ports[${i}].port: Invalid value: ${port}: must be between 1 and 65535, inclusive`,
    ),
  ],
  [V1, "with a port for any", sliceOf({}, { ports: [{}] }), []],
]);

testValues(kit, [
  [
    Beta,
    "names and types its ports",
    sliceOf({}, { ports: [{ port: 1 }] }),
    "ports",
    [{ port: 1, name: "", protocol: "TCP" }],
  ],
]);

testCreates(kit, [
  [
    Beta,
    "with 17 labels of topology",
    sliceOf({ topology: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`l${i}`, ""])) }),
    ["endpoints[0].deprecatedTopology: Too many: 17: must have at most 16 items"],
  ],
  [
    Beta,
    "with a label of wrong form",
    sliceOf({ topology: { "a b": "" } }),
    [/^endpoints\[0\].deprecatedTopology: Invalid value: "a b": name part must consist/],
  ],
]);
