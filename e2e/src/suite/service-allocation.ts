import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Http } from "../harness/http.js";
import { freshNamespace, versionOf } from "../harness/manifests.js";
import { assertFailure, done } from "../harness/status.js";
import { until } from "../harness/until.js";
import type { On } from "./scene.js";

const port = { port: 80, protocol: "TCP" };
const inside = { ports: [port] };
const node = { type: "NodePort", ports: [port] };
const local = { type: "LoadBalancer", externalTrafficPolicy: "Local", ports: [port] };

/**
 * Addresses and node ports of services. Numbers that are asked for come from the parts of the ranges that nobody is
 * given unasked, so that other tests' services are not in the way: 10.0.0.2 to 16, 30000 to 30085.
 */
export function serviceAllocationSuite(on: On): void {
  given(on);
  refused(on);
  changed(on);
  patched(on);
  deleted(on);
  rootService(on);
}

const addressOf = (service: Answer): string => String(service.at("spec.clusterIP"));
const lastOf = (address: string): number => Number(address.split(".")[3]);

function given(on: On): void {
  test("services made at once have an address and a node port each of their own", async () => {
    const { http } = on();
    const path = await freshServices(http);
    const specs = Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? node : inside));
    const made = await Promise.all(
      specs.map((spec, i) => done(http.post(path(), { metadata: { name: `s${i}` }, spec }))),
    );
    const addresses = made.map(addressOf);
    assert.equal(new Set(addresses).size, 30, addresses.join());
    for (const address of addresses) {
      assert.ok(/^10\.0\.0\.\d+$/.test(address) && lastOf(address) > 16 && lastOf(address) < 255, address);
    }
    for (const service of made) assert.deepEqual(service.at("spec.clusterIPs"), [addressOf(service)]);
    const ports = made.map((service) => service.at("spec.ports.0.nodePort")).filter((p) => p !== undefined);
    assert.equal(new Set(ports).size, 15);
    for (const nodePort of ports) assert.ok(Number(nodePort) > 30_085 && Number(nodePort) <= 32_767, String(nodePort));
    assert.equal((await http.delete(path())).status, 200);
  });

  test("what a service needs of addresses and ports follows from its type", async () => {
    const { http } = on();
    const path = await freshServices(http);
    const dns = ["TCP", "UDP"].map((protocol) => ({ name: protocol.toLowerCase(), port: 53, protocol }));
    const shared = await done(http.post(path(), { metadata: { name: "dns" }, spec: { ...node, ports: dns } }));
    assert.equal(shared.at("spec.ports.0.nodePort"), shared.at("spec.ports.1.nodePort"));
    const balanced = await done(http.post(path(), { metadata: { name: "balanced" }, spec: local }));
    assert.ok(Number(balanced.at("spec.healthCheckNodePort")) > 30_085, balanced.text);
    assert.notEqual(balanced.at("spec.healthCheckNodePort"), balanced.at("spec.ports.0.nodePort"));
    const bare = { ...local, externalTrafficPolicy: "Cluster", allocateLoadBalancerNodePorts: false };
    const portless = await done(http.post(path(), { metadata: { name: "portless" }, spec: bare }));
    assert.equal(portless.at("spec.ports.0.nodePort"), undefined);
    const headless = await done(http.post(path(), { metadata: { name: "headless" }, spec: { clusterIP: "None" } }));
    assert.deepEqual(
      [headless.at("spec.clusterIPs"), headless.at("spec.ipFamilies"), headless.at("spec.ipFamilyPolicy")],
      [["None"], ["IPv4", "IPv6"], "RequireDualStack"],
    );
    const named = { type: "ExternalName", externalName: "example.com" };
    const name = await done(http.post(path(), { metadata: { name: "name" }, spec: named }));
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]) {
      assert.equal(name.at(`spec.${field}`), undefined, field);
    }
    assert.equal((await http.delete(path())).status, 200);
  });
}

type RefusedRow = readonly [what: string, spec: object, message: RegExp];

const refusals: readonly RefusedRow[] = [
  [
    "an address of another network",
    { ...inside, clusterIP: "192.0.2.1" },
    /spec\.clusterIPs: Invalid value: \["192\.0\.2\.1"\]: failed to allocate IP 192\.0\.2\.1: the provided IP \(192\.0\.2\.1\) is not in the valid range\. The range of valid IPs is 10\.0\.0\.0\/24$/,
  ],
  [
    "a node port of another range",
    { ...node, ports: [{ ...port, nodePort: 80 }] },
    /spec\.ports\[0\]\.nodePort: Invalid value: 80: provided port is not in the valid range\. The range of valid ports is 30000-32767$/,
  ],
  [
    "both families where there is one",
    { ...inside, selector: { a: "b" }, ipFamilyPolicy: "RequireDualStack" },
    /spec\.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services$/,
  ],
  [
    "a family that is not there",
    { ...inside, ipFamilies: ["IPv6"] },
    /spec\.ipFamilies\[0\]: Invalid value: "IPv6": not configured on this cluster$/,
  ],
];

function refused(on: On): void {
  test("what is asked for at once by many goes to one of them", async () => {
    const { http } = on();
    const path = await freshServices(http);
    const rows: readonly (readonly [spec: object, message: RegExp])[] = [
      [{ ...inside, clusterIP: "10.0.0.2" }, /failed to allocate IP 10\.0\.0\.2: provided IP is already allocated$/],
      [
        { ...node, ports: [{ ...port, nodePort: 30_002 }] },
        /spec\.ports\[0\]\.nodePort: Invalid value: 30002: provided port is already allocated$/,
      ],
    ];
    for (const [i, [spec, message]] of rows.entries()) {
      const names = Array.from({ length: 8 }, (_, n) => `s${i}-${n}`);
      const dry = await http.post(path(), { metadata: { name: "dry" }, spec }, { dryRun: "All" });
      assert.equal(dry.status, 201, dry.text);
      const answers = await Promise.all(names.map((name) => http.post(path(), { metadata: { name }, spec })));
      assert.equal(answers.filter(({ status }) => status === 201).length, 1);
      for (const answer of answers) {
        if (answer.status !== 201) assertFailure(answer, { code: 422, reason: "Invalid", message });
      }
    }
    assert.equal((await http.delete(path())).status, 200);
  });

  for (const [what, spec, message] of refusals) {
    test(`${what} is refused, and nothing is stored`, async () => {
      const { http } = on();
      const path = await freshServices(http);
      const answer = await http.post(path(), { metadata: { name: "s" }, spec });
      assertFailure(answer, { code: 422, reason: "Invalid", message });
      assert.equal((await http.get(path("s"))).status, 404);
    });
  }
}

function changed(on: On): void {
  test("a service that changes its type takes what it needs and leaves the rest to others", async () => {
    const { http } = on();
    const path = await freshServices(http);
    const asked = { ...node, clusterIP: "10.0.0.3", ports: [{ ...port, nodePort: 30_003 }] };
    await done(http.post(path(), { metadata: { name: "s" }, spec: asked }));
    // A client that knows nothing of what was given leaves it out, and keeps it.
    const kept = await done(http.put(path("s"), { metadata: { name: "s" }, spec: node }));
    assert.deepEqual([addressOf(kept), kept.at("spec.ports.0.nodePort")], ["10.0.0.3", 30_003]);
    const moved = await http.put(path("s"), { metadata: { name: "s" }, spec: { ...node, clusterIP: "10.0.0.4" } });
    assertFailure(moved, { code: 422, reason: "Invalid", message: /may not change once set/ });
    const back = await done(http.put(path("s"), { ...kept.object(), spec: { ...specOf(kept), type: "ClusterIP" } }));
    assert.deepEqual([addressOf(back), back.at("spec.ports.0.nodePort")], ["10.0.0.3", undefined]);
    const freed = { ...node, ports: [{ ...port, nodePort: 30_003 }] };
    await done(http.post(path(), { metadata: { name: "other" }, spec: freed }));
    const again = await http.put(path("s"), { metadata: { name: "s" }, spec: asked });
    assertFailure(again, { code: 422, reason: "Invalid", message: /provided port is already allocated/ });
    const named = { type: "ExternalName", externalName: "example.com" };
    const name = await done(http.put(path("s"), { metadata: { name: "s" }, spec: named }));
    assert.equal(name.at("spec.clusterIP"), undefined);
    await done(http.post(path(), { metadata: { name: "third" }, spec: { ...inside, clusterIP: "10.0.0.3" } }));
    const whole = await done(http.put(path("s"), { metadata: { name: "s" }, spec: inside }));
    assert.ok(lastOf(addressOf(whole)) > 16, whole.text);
    assert.equal((await http.delete(path())).status, 200);
  });
}

function patched(on: On): void {
  test("a patch of the type takes what is new; an apply that says less than was given changes nothing", async () => {
    const { http } = on();
    const path = await freshServices(http);
    const made = await done(http.post(path(), { metadata: { name: "s" }, spec: inside }));
    const asNode = await done(http.patch(path("s"), "merge", { spec: { type: "NodePort" } }));
    assert.deepEqual([addressOf(asNode), typeof asNode.at("spec.ports.0.nodePort")], [addressOf(made), "number"]);
    const more = {
      spec: {
        ports: [
          { name: "a", port: 80 },
          { name: "b", port: 81 },
        ],
      },
    };
    const both = await done(http.patch(path("s"), "strategic-merge", more));
    assert.equal(typeof both.at("spec.ports.1.nodePort"), "number", both.text);
    const named = { spec: { type: "ExternalName", externalName: "example.com" } };
    const name = await done(http.patch(path("s"), "merge", named));
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ports.0.nodePort"]) {
      assert.equal(name.at(`spec.${field}`), undefined, field);
    }
    const applied = { apiVersion: "v1", kind: "Service", metadata: { name: "applied" }, spec: node };
    const first = await done(http.patch(path("applied"), "apply", applied, { fieldManager: "m" }));
    const second = await done(http.patch(path("applied"), "apply", applied, { fieldManager: "m" }));
    assert.equal(second.text, first.text);
    assert.equal((await http.delete(path())).status, 200);
  });
}

const specOf = (answer: Answer): object => {
  const spec = answer.at("spec");
  assert.ok(typeof spec === "object" && spec !== null);
  return spec;
};

function deleted(on: On): void {
  test("what a deleted service had can be had again, and its endpoints are gone", async () => {
    const { http } = on();
    const path = await freshServices(http);
    const spec = { ...local, clusterIP: "10.0.0.5", healthCheckNodePort: 30_005 };
    const endpoints = path().replace(/services$/, "endpoints");
    for (let i = 0; i < 5; i++) {
      await done(http.post(path(), { metadata: { name: "s" }, spec }));
      await done(http.post(endpoints, { metadata: { name: "s" }, subsets: [] }));
      await done(http.delete(path("s")));
      assert.equal((await http.get(`${endpoints}/s`)).status, 404);
    }
  });
}

function rootService(on: On): void {
  test("the root service has the first address, leads to the gateways and comes back when it is deleted", async () => {
    const { http, target } = on();
    const path = `/api/v1/namespaces/default/services/${target.naming.word("orch")}`;
    const there = await until("the root service is there", async () => found(await http.get(path)));
    assert.equal(addressOf(there), "10.0.0.1");
    assert.deepEqual(
      [there.at("spec.ports.0.name"), there.at("spec.ports.0.port"), there.at("metadata.labels.component")],
      ["https", 443, "apiserver"],
    );
    await done(http.delete(path));
    const back = await until("it is back", async () => found(await http.get(path)));
    assert.equal(addressOf(back), "10.0.0.1");
    assert.notEqual(versionOf(back.object()), versionOf(there.object()));
  });
}

const found = (answer: Answer): Answer | undefined => (answer.status === 200 ? answer : undefined);

/** Paths of services of a namespace of a test's own. */
async function freshServices(http: Http): Promise<(name?: string) => string> {
  const namespace = await freshNamespace(http);
  const collection = `/api/v1/namespaces/${namespace}/services`;
  return (name) => (name === undefined ? collection : `${collection}/${name}`);
}
