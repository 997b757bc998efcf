import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { parseNetwork } from "@orch/schema/formats/ip.js";
import type { SeenNode } from "../seen/node.js";
import { cloudSuite } from "./cloud.suite.js";
import { createSimulatedCloud } from "./simulated-cloud.js";
import { readMachines } from "./simulated-file.js";

const naming = createNaming("kubernetes");
const ranges = [parseNetwork("192.0.2.0/29") ?? { address: [], bits: 0 }];
const head = "apiVersion: simulatedcloud.config.k8s.io/v1\nkind: SimulatedCloudConfiguration\n";
const node = (name: string, rest: object = {}): SeenNode => ({ metadata: { name }, ...rest });
const { signal } = new AbortController();
const cloudWith = (file?: () => string) =>
  createSimulatedCloud({ ranges, ...(file === undefined ? {} : { file }) }, { naming, services: () => [] });

cloudSuite("a simulated cloud", () => ({
  cloud: cloudWith(() => `${head}instances: [{name: still, state: ShutDown}, {name: gone, state: Gone}]\n`),
  running: node("running"),
  shutDown: node("still"),
  gone: node("gone"),
}));

test("the file is looked at whenever the cloud is asked, and what is wrong in it makes no machine go", async () => {
  let file = `${head}instances: [{name: m, type: large, zone: z, labels: {a: b}, addresses: [{address: 192.0.2.9}]}]\n`;
  const { instances, zones } = cloudWith(() => file);
  assert.deepEqual(await instances.describe(node("m"), signal), {
    providerId: "simulated://m",
    type: "large",
    addresses: [{ type: "InternalIP", address: "192.0.2.9" }],
    labels: { a: "b" },
  });
  assert.deepEqual(await zones.zoneOf(node("m"), signal), { region: "simulated-1", zone: "z" });
  file = `${head}instances: [{name: m, state: Gone}]\n`;
  assert.equal(await instances.exists(node("m"), signal), false);
  file = `${head}instances: [{name: m, state: Lost}]\n`;
  await assert.rejects(instances.exists(node("m"), signal), /instances\[0\]\.state: Unsupported value: "Lost"/);
});

test("a node of which the file says nothing has the address that it was told, or says itself", async () => {
  const { instances } = cloudWith();
  const annotations = { "alpha.kubernetes.io/provided-node-ip": "192.0.2.1" };
  const addressesOf = async (of: SeenNode) =>
    (await instances.describe(of, signal)).addresses.map(({ type, address }) => `${type} ${address}`);
  assert.deepEqual(await addressesOf(node("m")), ["Hostname m"]);
  assert.deepEqual(await addressesOf({ metadata: { name: "m", annotations } }), ["InternalIP 192.0.2.1", "Hostname m"]);
  const status = { addresses: [{ type: "InternalIP", address: "192.0.2.7" }] };
  assert.deepEqual(await addressesOf(node("m", { status })), ["InternalIP 192.0.2.7"]);
});

test("nodes are spread over the zones of the file, each always in the same one", async () => {
  const { zones } = cloudWith(() => `${head}region: r\nzones: [a, b]\n`);
  const zoneOf = async (i: number) => (await zones.zoneOf(node(`node-${i}`), signal)).zone;
  const all = await Promise.all(Array.from({ length: 10 }, (_, i) => zoneOf(i)));
  assert.deepEqual([...new Set(all)].sort(), ["a", "b"]);
  assert.deepEqual(await Promise.all(all.map((_, i) => zoneOf(i))), all);
});

for (const [file, problem] of [
  ["", /Kind/],
  [`${head}zone: a\n`, /unknown field "zone"/],
  [`${head}instances: [{state: Gone}]\n`, /instances\[0\]\.name: Required value/],
  [`${head}instances: [{name: m}, {name: m}]\n`, /instances\[1\]\.name: Duplicate value/],
  [
    `${head}instances: [{name: m, addresses: [{type: InternalIP}]}]\n`,
    /instances\[0\]\.addresses\[0\]\.address: Required/,
  ],
  [`${head}region: ""\nzones: [""]\n`, /zones\[0\]: Required value/],
] as const) {
  test(`refused of a simulated cloud's file: ${problem.source}`, () => {
    const read = readMachines(file, naming);
    assert.ok(!read.ok);
    assert.match(read.problem, problem);
  });
}
