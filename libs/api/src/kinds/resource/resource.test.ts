import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { type AnyObject, valueAt } from "../../object.js";
import { expectErrors, type Wanted } from "../../testing/error-rows.js";
import { createKindKit, type Tree, testContext } from "../../testing/kind-kit.js";
import {
  type CreateRow,
  testCreates,
  testUpdates,
  testValues,
  type UpdateRow,
  type ValueRow,
} from "../../testing/kind-rows.js";
import { prepareForPart, validatePart } from "../../writes.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const group = "resource.k8s.io";
const deviceClass = `${group}/v1beta1.DeviceClass`;
const claim = `${group}/v1beta1.ResourceClaim`;
const template = `${group}/v1beta1.ResourceClaimTemplate`;
const slice = `${group}/v1beta1.ResourceSlice`;

const request = { name: "gpu", deviceClassName: "gpu.example.com" };
const opaque = { driver: "gpu.example.com", parameters: { speed: 1 } };
const cel = (expression: string): Tree => ({ cel: { expression } });
const claimOf = (devices: Tree): Tree => ({ spec: { devices: { requests: [request], ...devices } } });
const requested = (tree: Tree): Tree => claimOf({ requests: [{ ...request, ...tree }] });
const sliceOf = (spec: Tree): Tree => ({
  spec: {
    driver: "gpu.example.com",
    pool: { name: "n1/pool", generation: 0, resourceSliceCount: 1 },
    nodeName: "n1",
    ...spec,
  },
});
const deviceOf = (basic: Tree): Tree => sliceOf({ devices: [{ name: "gpu-0", basic }] });
const terms = [{ matchExpressions: [{ key: "a", operator: "Exists" }] }];
const many = <T>(n: number, item: (i: number) => T): readonly T[] => Array.from({ length: n }, (_, i) => item(i));
const subdomain = (at: string, value: string): RegExp =>
  new RegExp(`^${at.replace(/[[\]]/g, "\\$&")}: Invalid value: "${value}": a lowercase RFC 1123 subdomain must`);
const label = (at: string, value: string): RegExp =>
  new RegExp(`^${at.replace(/[[\]]/g, "\\$&")}: Invalid value: "${value}": a lowercase RFC 1123 label must`);
const oneNode = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required";

const creates: readonly CreateRow[] = [
  [deviceClass, "good", { spec: { selectors: [cel("true")], config: [{ opaque }] } }, []],
  [
    deviceClass,
    "of odd parts",
    {
      spec: {
        selectors: [{}, cel("x".repeat(10_241))],
        config: [
          {},
          { opaque: { driver: "", parameters: "text" } },
          { opaque: { ...opaque, parameters: { a: "x".repeat(10_240) } } },
          { opaque: { driver: "gpu.example.com" } },
        ],
      },
    },
    [
      "spec.selectors[0].cel: Required value",
      "spec.selectors[1].cel.expression: Too long: may not be more than 10240 bytes",
      "spec.config[0].opaque: Required value",
      "spec.config[1].opaque.driver: Required value",
      subdomain("spec.config[1].opaque.driver", ""),
      'spec.config[1].opaque.parameters: Invalid value: "<value omitted>": parameters must be a valid JSON object',
      "spec.config[2].opaque.parameters: Too long: may not be more than 10240 bytes",
      "spec.config[3].opaque.parameters: Required value",
    ],
  ],
  [
    deviceClass,
    "of many parts",
    { spec: { selectors: many(33, () => cel("true")), config: many(33, () => ({ opaque })) } },
    [
      "spec.selectors: Too many: 33: must have at most 32 items",
      "spec.config: Too many: 33: must have at most 32 items",
    ],
  ],
  [claim, "good", requested({ selectors: [cel("true")] }), []],
  [claim, "for all", requested({ allocationMode: "All" }), []],
  [
    claim,
    "of odd requests",
    claimOf({
      requests: [
        { name: "A" },
        { name: "A", deviceClassName: "B" },
        { ...request, name: "b", allocationMode: "All", count: 1 },
        { ...request, name: "c", count: -1 },
        { ...request, name: "d", allocationMode: "X" },
      ],
    }),
    [
      label("spec.devices.requests[0].name", "A"),
      "spec.devices.requests[0].deviceClassName: Required value",
      label("spec.devices.requests[1].name", "A"),
      subdomain("spec.devices.requests[1].deviceClassName", "B"),
      "spec.devices.requests[2].count: Invalid value: 1: must not be specified when allocationMode is 'All'",
      "spec.devices.requests[3].count: Invalid value: -1: must be greater than zero",
      'spec.devices.requests[4].allocationMode: Unsupported value: "X": supported values: "All", "ExactCount"',
      'spec.devices.requests[1].name: Duplicate value: "A"',
    ],
  ],
  [
    claim,
    "of many requests",
    claimOf({ requests: many(33, (i) => ({ ...request, name: `r${i}` })) }),
    ["spec.devices.requests: Too many: 33: must have at most 32 items"],
  ],
  [
    claim,
    "of odd constraints",
    claimOf({
      constraints: [
        { requests: ["gpu", "gpu", "other"] },
        { matchAttribute: "model" },
        { matchAttribute: "/model" },
        { matchAttribute: "example.com/1" },
      ],
    }),
    [
      'spec.devices.constraints[0].requests[2]: Invalid value: "other": must be the name of a request in the claim',
      'spec.devices.constraints[0].requests[1]: Duplicate value: "gpu"',
      "spec.devices.constraints[0].matchAttribute: Required value",
      'spec.devices.constraints[1].matchAttribute: Invalid value: "model": must include a domain',
      "spec.devices.constraints[2].matchAttribute: Required value: the domain must not be empty",
      /^spec.devices.constraints\[3\].matchAttribute: Invalid value: "1": a valid C identifier must/,
    ],
  ],
  [
    claim,
    "of odd settings",
    claimOf({ config: [{ requests: ["x"], opaque }] }),
    ['spec.devices.config[0].requests[0]: Invalid value: "x": must be the name of a request in the claim'],
  ],
  [template, "good", { spec: { metadata: { labels: { a: "b" } }, ...claimOf({}) } }, []],
  [
    template,
    "of odd metadata and requests",
    {
      spec: {
        metadata: { name: "n", labels: { "a b": "" }, annotations: { "a b": "" } },
        spec: { devices: { requests: [{ name: "A" }] } },
      },
    },
    [
      /^spec.metadata.annotations: Invalid value: "a b": name part must/,
      /^spec.metadata.labels: Invalid value: "a b": name part must/,
      "spec.metadata.name: Forbidden: cannot be set",
      label("spec.spec.devices.requests[0].name", "A"),
      "spec.spec.devices.requests[0].deviceClassName: Required value",
    ],
  ],
  [
    slice,
    "good",
    deviceOf({
      attributes: { model: { string: "m" }, "example.com/v": { version: "1.0.0" } },
      capacity: { memory: { value: "1Gi" } },
    }),
    [],
  ],
  [slice, "of some nodes", sliceOf({ nodeName: "", nodeSelector: { nodeSelectorTerms: terms } }), []],
  [
    slice,
    "of nothing",
    { spec: {} },
    [
      "spec.driver: Required value",
      subdomain("spec.driver", ""),
      "spec.pool.name: Required value",
      "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
      `spec: Required value: ${oneNode}`,
    ],
  ],
  [
    slice,
    "of an odd pool",
    sliceOf({ pool: { name: "A/b", generation: -1, resourceSliceCount: 1 } }),
    [
      subdomain("spec.pool.name", "A"),
      "spec.pool.generation: Invalid value: -1: must be greater than or equal to zero",
    ],
  ],
  [
    slice,
    "of all nodes and odd ones",
    sliceOf({ nodeName: "A", nodeSelector: { nodeSelectorTerms: [...terms, ...terms] }, allNodes: true }),
    [
      subdomain("spec.nodeName", "A"),
      /^spec.nodeSelector.nodeSelectorTerms: Invalid value: .*: must have exactly one node selector term$/,
      `spec: Invalid value: "null": ${oneNode}`,
    ],
  ],
  [
    slice,
    "of nodes by odd values",
    sliceOf({
      nodeName: "",
      nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values: ["b c"] }] }] },
    }),
    [
      /^spec.nodeSelector.nodeSelectorTerms\[0\].matchExpressions\[0\].values\[0\]: Invalid value: "b c": a valid label/,
    ],
  ],
  [
    slice,
    "of odd devices",
    sliceOf({ devices: [{ name: "A" }, { name: "b", basic: {} }, { name: "b", basic: {} }] }),
    [
      label("spec.devices[0].name", "A"),
      "spec.devices[0].basic: Required value",
      'spec.devices[2].name: Duplicate value: "b"',
    ],
  ],
  [
    slice,
    "of many devices",
    sliceOf({ devices: many(129, (i) => ({ name: `d${i}`, basic: {} })) }),
    ["spec.devices: Too many: 129: must have at most 128 items"],
  ],
  [
    slice,
    "of odd attributes",
    deviceOf({
      attributes: {
        none: {},
        two: { int: 1, bool: false },
        old: { version: "1" },
        long: { string: "x".repeat(65) },
        "a b": { int: 1 },
        [`${"d".repeat(64)}.example/${"n".repeat(33)}`]: { int: 1 },
      },
      capacity: { "1": { value: "1" } },
    }),
    [
      "spec.devices[0].basic.attributes[none]: Required value: exactly one value must be specified",
      'spec.devices[0].basic.attributes[two]: Invalid value: {"int":1,"bool":false}: exactly one value must be specified',
      'spec.devices[0].basic.attributes[old].version: Invalid value: "1": must be a string compatible with semver.org spec 2.0.0',
      "spec.devices[0].basic.attributes[long].string: Too long: may not be more than 64 bytes",
      /^spec.devices\[0\].basic.attributes\[a b\]: Invalid value: "a b": a valid C identifier must/,
      /^spec.devices\[0\].basic.attributes\[d{47}\.\.\..*n{33}\]: Too long: may not be more than 63 bytes$/,
      /^spec.devices\[0\].basic.attributes\[.*\]: Too long: may not be more than 32 bytes$/,
      /^spec.devices\[0\].basic.capacity\[1\]: Invalid value: "1": a valid C identifier must/,
    ],
  ],
  [
    slice,
    "of many attributes",
    deviceOf({ attributes: Object.fromEntries(many(33, (i) => [`a${i}`, { int: i }])) }),
    ["spec.devices[0].basic: Invalid value: 33: the total number of attributes and capacities must not exceed 32"],
  ],
];
testCreates(kit, creates);

const big = { opaque: { ...opaque, parameters: { a: "x".repeat(10_240) } } };
const updates: readonly UpdateRow[] = [
  [deviceClass, "of another expression", { spec: { selectors: [cel("false")] } }, { spec: {} }, []],
  [
    deviceClass,
    "that was big before",
    { spec: { config: [big], selectors: [cel("true")] } },
    { spec: { config: [big] } },
    [],
  ],
  [
    deviceClass,
    "that becomes big",
    { spec: { config: [big] } },
    { spec: {} },
    ["spec.config[0].opaque.parameters: Too long: may not be more than 10240 bytes"],
  ],
  [claim, "that changes nothing", claimOf({ config: [big] }), claimOf({ config: [big] }), []],
  [claim, "for more", requested({ count: 2 }), requested({}), [/^spec: Invalid value: \{.*\}: field is immutable$/]],
  [
    template,
    "for more",
    { spec: requested({ count: 2 }) },
    { spec: requested({}) },
    [/^spec: Invalid value: \{.*\}: field is immutable$/],
  ],
  [slice, "of other devices", deviceOf({}), sliceOf({}), []],
  [
    slice,
    "of another driver, pool and node",
    sliceOf({ driver: "b", pool: { name: "p", generation: 0, resourceSliceCount: 1 }, nodeName: "n2" }),
    sliceOf({}),
    [
      'spec.driver: Invalid value: "b": field is immutable',
      'spec.pool.name: Invalid value: "p": field is immutable',
      'spec.nodeName: Invalid value: "n2": field is immutable',
    ],
  ],
];
testUpdates(kit, updates);

const exact = [{ ...request, allocationMode: "ExactCount", count: 1 }];
const values: readonly ValueRow[] = [
  ...["v1beta1", "v1alpha3"].flatMap((version): ValueRow[] => [
    [`${group}/${version}.ResourceClaim`, "asks for one", claimOf({}), "spec.devices.requests", exact],
    [
      `${group}/${version}.ResourceClaimTemplate`,
      "asks for one",
      { spec: claimOf({}) },
      "spec.spec.devices.requests",
      exact,
    ],
  ]),
  [
    claim,
    "asks for all there are",
    requested({ allocationMode: "All" }),
    "spec.devices.requests",
    [{ ...request, allocationMode: "All" }],
  ],
  [claim, "has nothing", { ...claimOf({}), status: { reservedFor: [] } }, "status", undefined],
];
testValues(kit, values);

const id = { driver: "gpu.example.com", pool: "p", device: "d" };
const consumer = { resource: "pods", name: "a", uid: "1" };
const allocation = { devices: { results: [{ request: "gpu", ...id }] } };
const condition = {
  type: "Ready",
  status: "True",
  lastTransitionTime: "2025-01-01T00:00:00Z",
  reason: "R",
  message: "",
};

interface Before {
  readonly status?: Tree;
  readonly isDeleted?: boolean;
}

function writeStatus(status: Tree, { status: before, isDeleted = false }: Before) {
  const kind = kit.kind(claim);
  const stored = kit.created(claim, claimOf({}));
  const deletion = isDeleted ? { deletionTimestamp: testContext.now } : {};
  const old: AnyObject = {
    ...stored,
    metadata: { ...stored.metadata, labels: { a: "b" }, ...deletion },
    ...(before === undefined ? {} : { status: before }),
  };
  const sent = { ...stored, spec: {}, status };
  const object = prepareForPart(kind, { name: "status", object: sent, old }, testContext);
  const errors = validatePart(kind, { name: "status", object, old }).map((e) => `${e.field}: ${e.message}`);
  return { object, stored, errors };
}

const statuses: readonly (readonly [string, Tree, Before, readonly Wanted[]])[] = [
  ["that is allocated and used", { allocation, reservedFor: [consumer] }, {}, []],
  ["that loses its devices", {}, { status: { allocation } }, []],
  [
    "that is used and not allocated",
    { reservedFor: [consumer] },
    {},
    ["status.reservedFor: Forbidden: may not be specified when `allocated` is not set"],
  ],
  [
    "that gets users while it goes",
    { allocation, reservedFor: [consumer, { ...consumer, uid: "2" }] },
    { status: { allocation, reservedFor: [consumer] }, isDeleted: true },
    [
      "status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
    ],
  ],
  [
    "of odd users",
    { allocation, reservedFor: [{}, consumer, consumer] },
    {},
    [
      "status.reservedFor[0].resource: Required value",
      "status.reservedFor[0].name: Required value",
      "status.reservedFor[0].uid: Required value",
      'status.reservedFor[2].uid: Duplicate value: "1"',
    ],
  ],
  [
    "of many users",
    { allocation, reservedFor: many(257, (i) => ({ ...consumer, uid: `${i}` })) },
    {},
    ["status.reservedFor: Too many: 257: must have at most 256 items"],
  ],
  [
    "that is allocated anew",
    { allocation: { devices: {} } },
    { status: { allocation } },
    [/^status.allocation: Invalid value: \{.*\}: field is immutable$/],
  ],
  [
    "of odd devices",
    {
      allocation: {
        devices: {
          results: [{ request: "x", driver: "A", pool: "", device: "D" }],
          config: [
            { requests: ["gpu"], opaque },
            { source: "X", requests: ["x"] },
          ],
        },
        nodeSelector: {},
      },
    },
    {},
    [
      'status.allocation.devices.results[0].request: Invalid value: "x": must be the name of a request in the claim',
      "status.allocation.devices.results[0].pool: Required value",
      label("status.allocation.devices.results[0].device", "D"),
      "status.allocation.devices.config[0].source: Required value",
      'status.allocation.devices.config[1].source: Unsupported value: "X": supported values: "FromClaim", "FromClass"',
      'status.allocation.devices.config[1].requests[0]: Invalid value: "x": must be the name of a request in the claim',
      "status.allocation.devices.config[1].opaque: Required value",
      "status.allocation.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term",
    ],
  ],
  [
    "of what drivers tell",
    { allocation, devices: [{ ...id, conditions: [condition], networkData: { ips: ["10.0.0.1/24"] } }] },
    {},
    [],
  ],
  [
    "of odd things that drivers tell",
    {
      allocation,
      devices: [
        { ...id, device: "e" },
        {
          ...id,
          conditions: many(9, (i) => ({ ...condition, type: `T${i}` })),
          data: [],
          networkData: {
            interfaceName: "x".repeat(257),
            hardwareAddress: "x".repeat(129),
            ips: ["x", "2001:db8::1/64", "2001:0db8::1/64"],
          },
        },
        id,
      ],
    },
    { status: { devices: [id] } },
    [
      'status.devices[0]: Invalid value: "gpu.example.com/p/e": must be an allocated device in the claim',
      "status.devices[1].conditions: Too many: 9: must have at most 8 items",
      'status.devices[1].data: Invalid value: "<value omitted>": parameters must be a valid JSON object',
      "status.devices[1].networkData.interfaceName: Too long: may not be more than 256 bytes",
      "status.devices[1].networkData.hardwareAddress: Too long: may not be more than 128 bytes",
      'status.devices[1].networkData.ips[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      'status.devices[1].networkData.ips[2]: Duplicate value: "2001:db8::1/64"',
      'status.devices[2].deviceID: Duplicate value: "gpu.example.com/p/d"',
    ],
  ],
];
for (const [what, status, before, expected] of statuses) {
  expectErrors(`the status of a claim ${what}`, expected, () => writeStatus(status, before).errors);
}

test("what drivers tell of devices and access to those of others are dropped of claims that had neither", () => {
  const admin = { devices: { requests: [{ name: "gpu", deviceClassName: "c", adminAccess: true }] } };
  const plain = [{ name: "gpu", deviceClassName: "c", allocationMode: "ExactCount", count: 1 }];
  assert.deepEqual(valueAt(kit.created(claim, { spec: admin }), "spec.devices.requests"), plain);
  assert.deepEqual(valueAt(kit.created(template, { spec: { spec: admin } }), "spec.spec.devices.requests"), plain);
  const results = [{ request: "gpu", ...id, adminAccess: true }];
  const { object } = writeStatus({ allocation: { devices: { results } }, devices: [id] }, {});
  assert.deepEqual(object["status"], { allocation: { devices: { results: [{ request: "gpu", ...id }] } } });
});

test("a claim's status leaves its spec and labels, and forgets what drivers told of a device that went", () => {
  const { object, stored } = writeStatus({ devices: [id] }, { status: { allocation, devices: [id] } });
  assert.deepEqual(object["spec"], stored["spec"]);
  assert.deepEqual(object.metadata.labels, { a: "b" });
  assert.deepEqual(object["status"], {});
});

test("the first slices have bare capacities", () => {
  const basic = { attributes: { model: { string: "m" } }, capacity: { memory: "1Gi" } };
  const { hub, back } = kit.roundTrip(`${group}/v1alpha3.ResourceSlice`, deviceOf(basic));
  assert.deepEqual(valueAt(hub, "spec.devices"), [
    { name: "gpu-0", basic: { ...basic, capacity: { memory: { value: "1Gi" } } } },
  ]);
  assert.deepEqual(valueAt(back, "spec.devices"), [{ name: "gpu-0", basic }]);
});
