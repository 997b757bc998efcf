import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ServiceSpec } from "@orch/api/kinds/core/service/service-spec.js";
import { type Bed, openBed, type Subject, type SubjectOptions } from "../testing/bed.js";
import { claimed, inUse, type Outcome, type ServiceClient, serviceClient } from "../testing/services.js";

interface Scene {
  readonly bed: Bed;
  readonly subject: Subject;
  readonly services: ServiceClient;
}

const dual: SubjectOptions["allocation"] = {
  addresses: [
    { address: [10, 0, 0, 0], bits: 24 },
    { address: [0xfd, ...new Array<number>(15).fill(0)], bits: 112 },
  ],
};

async function start(t: TestContext, options: SubjectOptions = {}): Promise<Scene> {
  const bed = await openBed(t, "kubernetes");
  const subject = await bed.start(options);
  return { bed, subject, services: serviceClient(subject) };
}

async function done(outcome: Promise<Outcome>): Promise<ServiceSpec> {
  const settled = await outcome;
  assert.ok(settled.done, settled.done ? "" : settled.problem);
  return settled.spec;
}

const selector = { app: "web" };
const http = { port: 80, protocol: "TCP" };
const plain = { selector, ports: [http] };
const node = { type: "NodePort", ports: [http] };
const balanced = { type: "LoadBalancer", ports: [http] };
const local = { ...balanced, externalTrafficPolicy: "Local" };
const both = { ...plain, ipFamilyPolicy: "RequireDualStack" };
const named = { type: "ExternalName", externalName: "a.b" };

/** Addresses, node ports and the port of health checks, as one line. */
function numbers(spec: ServiceSpec): string {
  const { clusterIPs = [], ports = [], healthCheckNodePort: health } = spec;
  assert.equal(spec.clusterIP, clusterIPs[0]);
  return [clusterIPs.join("+"), ports.map((p) => p.nodePort ?? "-").join("+"), health ?? "-"].join(" ");
}

type CreateRow = readonly [what: string, spec: object, numbers: string];

// No chance here: the first number that is not kept back comes first, 10.0.0.17, fd00::101 and 30086.
const creates: readonly CreateRow[] = [
  ["a service inside", plain, "10.0.0.17 - -"],
  ["one that asks for its address", { ...plain, clusterIP: "10.0.0.5" }, "10.0.0.5 - -"],
  ["one of IPv6", { ...plain, ipFamilies: ["IPv6"] }, "fd00::101 - -"],
  ["one of both families", both, "10.0.0.17+fd00::101 - -"],
  ["one of both, the other way round", { ...both, ipFamilies: ["IPv6", "IPv4"] }, "fd00::101+10.0.0.17 - -"],
  ["one of both that asks for one", { ...both, clusterIP: "fd00::9" }, "fd00::9+10.0.0.17 - -"],
  ["a headless one", { ...plain, clusterIP: "None" }, "None - -"],
  ["a headless one without selector", { clusterIP: "None" }, "None  -"],
  ["a name", named, "  -"],
  ["one at the nodes", node, "10.0.0.17 30086 -"],
  ["one at a port of its choice", { ...node, ports: [{ ...http, nodePort: 30_007 }] }, "10.0.0.17 30007 -"],
  ["TCP and UDP of one port", { ...node, ports: dns() }, "10.0.0.17 30086+30086 -"],
  ["TCP and UDP of one port, asked for once", { ...node, ports: dns(undefined, 30_053) }, "10.0.0.17 30053+30053 -"],
  ["TCP and UDP of one port at two", { ...node, ports: dns(30_053, 30_054) }, "10.0.0.17 30053+30054 -"],
  ["a balanced one", balanced, "10.0.0.17 30086 -"],
  ["a balanced one without node ports", { ...balanced, allocateLoadBalancerNodePorts: false }, "10.0.0.17 - -"],
  [
    "a balanced one with the port it asks for",
    { ...balanced, allocateLoadBalancerNodePorts: false, ports: [{ ...http, nodePort: 30_007 }] },
    "10.0.0.17 30007 -",
  ],
  ["a balanced one that keeps sources", local, "10.0.0.17 30086 30087"],
  ["one with the health port it asks for", { ...local, healthCheckNodePort: 30_100 }, "10.0.0.17 30086 30100"],
];

function dns(tcp?: number, udp?: number): readonly object[] {
  const port = (protocol: string, nodePort: number | undefined): object => ({
    name: protocol.toLowerCase(),
    port: 53,
    protocol,
    ...(nodePort === undefined ? {} : { nodePort }),
  });
  return [port("TCP", tcp), port("UDP", udp)];
}

test("a new service is given the numbers it needs, and they are claimed; a deleted one gives them back", async (t) => {
  const { bed, services } = await start(t, { allocation: dual ?? {} });
  for (const [what, spec, wanted] of creates) {
    const dry = await done(services.create("s", spec, { options: { dryRun: "All" } }));
    assert.deepEqual(await claimed(bed.store, bed.naming), [], `${what}: a dry run takes nothing`);
    const made = await done(services.create("s", spec));
    assert.equal(numbers(made), wanted, what);
    assert.deepEqual(dry, made, what);
    const claims = await claimed(bed.store, bed.naming);
    assert.deepEqual(claims, [...new Set(await inUse(bed.store, bed.naming))], what);
    await done(services.remove("s"));
    assert.deepEqual(await claimed(bed.store, bed.naming), [], `${what}: gone`);
  }
});

type RefusedRow = readonly [what: string, spec: object, code: number, problem: string | RegExp];

const invalid = 'Service "s" is invalid: ';
const refusedCreates: readonly RefusedRow[] = [
  [
    "an address that another has",
    { ...plain, clusterIP: "10.0.0.17" },
    422,
    `${invalid}spec.clusterIPs: Invalid value: ["10.0.0.17"]: failed to allocate IP 10.0.0.17: provided IP is already allocated`,
  ],
  [
    "an address of another network",
    { ...plain, clusterIP: "10.0.1.1" },
    422,
    `${invalid}spec.clusterIPs: Invalid value: ["10.0.1.1"]: failed to allocate IP 10.0.1.1: the provided IP (10.0.1.1) is not in the valid range. The range of valid IPs is 10.0.0.0/24`,
  ],
  ["the network's own address", { ...plain, clusterIP: "10.0.0.0" }, 422, /is not in the valid range/],
  [
    "an address of a family that is not there",
    { ...plain, clusterIP: "fd00::1" },
    422,
    `${invalid}spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster`,
  ],
  [
    "a family that is not there",
    { ...plain, ipFamilies: ["IPv6"] },
    422,
    `${invalid}spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster`,
  ],
  [
    "both families",
    both,
    422,
    `${invalid}spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services`,
  ],
  [
    "addresses without the first of them",
    { ...plain, clusterIPs: ["10.0.0.5"] },
    422,
    `${invalid}spec.clusterIPs: Invalid value: ["10.0.0.5"]: must be empty when \`clusterIP\` is not specified`,
  ],
  [
    "a node port that another has",
    { ...node, ports: [{ ...http, nodePort: 30_086 }] },
    422,
    `${invalid}spec.ports[0].nodePort: Invalid value: 30086: provided port is already allocated`,
  ],
  [
    "a node port of another range",
    { ...node, ports: [{ ...http, nodePort: 80 }] },
    422,
    `${invalid}spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767`,
  ],
  [
    "one node port for two ports",
    {
      ...node,
      ports: [
        { name: "a", port: 1, protocol: "TCP", nodePort: 30_001 },
        { name: "b", port: 2, protocol: "UDP", nodePort: 30_001 },
      ],
    },
    422,
    `${invalid}spec.ports[1].nodePort: Invalid value: 30001: provided port is already allocated`,
  ],
  [
    "a health port that another has",
    { ...local, healthCheckNodePort: 30_086 },
    500,
    "Internal error occurred: failed to allocate requested HealthCheck NodePort 30086: provided port is already allocated",
  ],
  ["nothing wrong but its name", node, 409, 'services "other" already exists'],
];

test("what cannot be had is refused with its reason, and what was taken before is free again", async (t) => {
  const { bed, services } = await start(t);
  await done(services.create("other", node));
  const before = await claimed(bed.store, bed.naming);
  assert.deepEqual(before, ["10.0.0.17 other", "30086 other"]);
  for (const [what, spec, code, problem] of refusedCreates) {
    for (const options of [{ dryRun: "All" }, {}]) {
      const outcome = await services.create(code === 409 ? "other" : "s", spec, { options });
      assert.ok(!outcome.done, what);
      assert.equal(outcome.code, code, what);
      if (typeof problem === "string") assert.equal(outcome.problem, problem, what);
      else assert.match(outcome.problem, problem, what);
      assert.deepEqual(await claimed(bed.store, bed.naming), before, what);
    }
  }
});

type UpdateRow = readonly [what: string, from: object, to: object, numbers: string];

const updates: readonly UpdateRow[] = [
  ["goes to the nodes", plain, node, "10.0.0.17 30086 -"],
  ["comes back inside", node, plain, "10.0.0.17 - -"],
  ["changes its node port", node, { ...node, ports: [{ ...http, nodePort: 30_001 }] }, "10.0.0.17 30001 -"],
  ["keeps its node port under another number", node, { ...node, ports: [{ ...http, port: 81 }] }, "10.0.0.17 30086 -"],
  [
    "gets a port more",
    node,
    {
      ...node,
      ports: [
        { name: "b", port: 81 },
        { name: "c", port: 82 },
      ],
    },
    "10.0.0.17 30087+30088 -",
  ],
  ["is balanced", node, balanced, "10.0.0.17 30086 -"],
  ["keeps sources", balanced, local, "10.0.0.17 30086 30087"],
  ["keeps them no more", local, balanced, "10.0.0.17 30086 -"],
  ["loses its balancer", local, node, "10.0.0.17 30086 -"],
  ["becomes a name", node, named, "  -"],
  ["is no name any more", named, node, "10.0.0.17 30086 -"],
  ["gets a second family", plain, { ...plain, ipFamilyPolicy: "PreferDualStack" }, "10.0.0.17+fd00::101 - -"],
  [
    "gets the second address that it asks for",
    plain,
    { ...both, clusterIP: "10.0.0.17", clusterIPs: ["10.0.0.17", "fd00::9"] },
    "10.0.0.17+fd00::9 - -",
  ],
  ["goes back to one family", both, { ...plain, ipFamilyPolicy: "SingleStack" }, "10.0.0.17 - -"],
  ["says nothing new", local, local, "10.0.0.17 30086 30087"],
];

test("an update takes what is new, keeps what stays and gives back what it leaves", async (t) => {
  const { bed, services } = await start(t, { allocation: dual ?? {} });
  for (const [what, from, to, wanted] of updates) {
    const before = await done(services.create("s", from));
    const claims = await claimed(bed.store, bed.naming);
    await done(services.update("s", to, { options: { dryRun: "All" } }));
    assert.deepEqual(await claimed(bed.store, bed.naming), claims, `${what}: a dry run changes nothing`);
    const after = await done(services.update("s", to));
    assert.equal(numbers(after), wanted, `${what}: ${JSON.stringify(before)}`);
    assert.deepEqual(await claimed(bed.store, bed.naming), await inUse(bed.store, bed.naming), what);
    await done(services.remove("s"));
    assert.deepEqual(await claimed(bed.store, bed.naming), [], what);
  }
});

test("a refused update leaves the service what it has", async (t) => {
  const { bed, services } = await start(t);
  await done(services.create("other", { ...node, ports: [{ ...http, nodePort: 30_001 }] }));
  await done(services.create("s", node));
  const before = await claimed(bed.store, bed.naming);
  const spec = {
    ...local,
    ports: [
      { name: "a", port: 81 },
      { name: "b", ...http, nodePort: 30_001 },
    ],
  };
  const refused = await services.update("s", spec);
  assert.match(refused.done ? "" : refused.problem, /spec.ports\[1\].nodePort: .* already allocated/);
  assert.deepEqual(await claimed(bed.store, bed.naming), before);
});

test("numbers that are kept back are given last, and a range that is used up says so", async (t) => {
  const { bed, services } = await start(t, {
    allocation: { addresses: [{ address: [10, 0, 0, 0], bits: 27 }], nodePorts: { first: 30_000, last: 30_001 } },
    random: Math.random,
  });
  const given: number[] = [];
  for (let i = 0; i < 30; i++) {
    const { clusterIP = "" } = await done(services.create(`s${i}`, plain));
    given.push(Number(clusterIP.split(".")[3]));
  }
  assert.ok(
    given.slice(0, 14).every((last) => last > 16),
    given.join(),
  );
  assert.equal(new Set(given).size, 30);
  const full = await services.create("more", plain);
  const sentence = (what: string): string => `Internal error occurred: failed to allocate a ${what}: range is full`;
  assert.deepEqual(full, { done: false, code: 500, problem: sentence("serviceIP") });
  await done(services.remove("s7"));
  await done(services.create("more", { ...plain, clusterIP: undefined }));
  const ports = { ports: [1, 2, 3].map((port) => ({ name: `p${port}`, port })) };
  await done(services.remove("s8"));
  const before = await claimed(bed.store, bed.naming);
  assert.deepEqual(await services.create("wide", { type: "NodePort", ...ports }), {
    done: false,
    code: 500,
    problem: sentence("nodePort"),
  });
  assert.deepEqual(await claimed(bed.store, bed.naming), before);
});

test("a service with finalizers keeps its numbers until the last of them is gone", async (t) => {
  const { bed, subject, services } = await start(t);
  const metadata = { name: "held", finalizers: ["example.com/a"] };
  await subject.write({ resource: "services" }, { metadata, spec: node });
  await done(services.remove("held"));
  assert.deepEqual(await claimed(bed.store, bed.naming), ["10.0.0.17 held", "30086 held"]);
  await done(services.update("held", node));
  assert.deepEqual(await claimed(bed.store, bed.naming), []);
});

test("deletions of a collection free what its services had, and take their endpoints along", async (t) => {
  const { bed, subject, services } = await start(t);
  for (const name of ["a", "b"]) {
    await done(services.create(name, node));
    await subject.write({ resource: "endpoints" }, { metadata: { name }, subsets: [] });
  }
  await subject.write({ resource: "endpoints" }, { metadata: { name: "c" }, subsets: [] });
  await subject.write({ resource: "services", verb: "deletecollection" });
  assert.deepEqual(await claimed(bed.store, bed.naming), []);
  for (const name of ["a", "b"]) {
    await assert.rejects(subject.write({ resource: "endpoints", verb: "delete", name }), { reason: "NotFound" });
  }
  await subject.write({ resource: "endpoints", verb: "delete", name: "c" });
});

test("a write of a status takes and gives nothing", async (t) => {
  const { bed, subject, services } = await start(t);
  await done(services.create("s", node));
  const status = { loadBalancer: {}, conditions: [] };
  await subject.write(
    { resource: "services", subresource: "status", verb: "update", name: "s" },
    { metadata: { name: "s" }, status },
  );
  assert.deepEqual(await claimed(bed.store, bed.naming), ["10.0.0.17 s", "30086 s"]);
});
