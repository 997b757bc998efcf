import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { type ApiService, nameOf } from "./api-service.js";
import { type LocalService, localServices, markLabel, planFor } from "./local-services.js";

const catalog = loadCatalog(createNaming("kubernetes"), { runtimeConfig: ["api/all=true"] });
const label = markLabel(catalog.naming);

test("every group-version has one, but for that of APIServices themselves, with the reference's priorities", () => {
  const all = new Map(localServices(catalog, catalog).map((one) => [one.name, one]));
  const of = (name: string) => {
    const { priority, mark } = all.get(name) ?? assert.fail(name);
    return [priority.group, priority.version, mark];
  };
  assert.deepEqual(of("v1."), [18000, 1, "onstart"]);
  assert.deepEqual(of("v1.apps"), [17800, 15, "onstart"]);
  assert.deepEqual(of("v2.autoscaling"), [17500, 30, "onstart"]);
  assert.deepEqual(of("v1beta1.admissionregistration.k8s.io"), [16700, 12, "onstart"]);
  const versions = catalog.groups().flatMap(({ name, versions }) => versions.map((version) => nameOf(name, version)));
  assert.deepEqual(
    versions.filter((name) => !all.has(name)),
    ["v1.apiregistration.k8s.io"],
  );
  for (const { name, priority } of all.values()) assert.ok(priority.group > 1000 && priority.version > 0, name);
});

test("the priorities of versions say what their order says", () => {
  for (const { name, versions } of catalog.groups()) {
    const priorities = versions.map((version) => catalog.priorityOf(name, version).version);
    assert.deepEqual(
      priorities,
      [...priorities].sort((a, b) => b - a),
      name,
    );
  }
});

test("the label is named as the reference names it", () => {
  assert.equal(label, "kube-aggregator.kubernetes.io/automanaged");
});

const a: LocalService = {
  name: "v1.a",
  group: "a",
  version: "v1",
  priority: { group: 1000, version: 100 },
  mark: "true",
};
const present = (more: Partial<ApiService> = {}): ApiService => ({
  ...{ name: "v1.a", uid: "", resourceVersion: "", group: "a", version: "v1", priority: a.priority },
  ...{ labels: { [label]: "true" }, remote: undefined, available: undefined },
  ...more,
});
const remote = {
  name: "v1.a",
  group: "a",
  version: "v1",
  service: { namespace: "n", name: "s", port: 1 },
  ca: "",
  insecure: true,
};

const rows: readonly (readonly [
  what: string,
  wanted: boolean,
  there: ApiService | undefined,
  isStart: boolean,
  plan: string,
])[] = [
  ["one that is not there", true, undefined, false, "create"],
  ["one that is as it should be", true, present(), false, ""],
  ["one with other priorities", true, present({ priority: { group: 1, version: 1 } }), false, "change"],
  ["one that somebody gave a server", true, present({ remote }), false, "change"],
  ["one of a user, whatever it says", true, present({ labels: {}, remote }), false, ""],
  ["one that nobody wants any more", false, present(), false, "remove"],
  ["one of a user that nobody serves", false, present({ labels: {} }), true, ""],
  ["a built-in one that is not served now", false, present({ labels: { [label]: "onstart" } }), false, ""],
  [
    "a built-in one that is not served at the start",
    false,
    present({ labels: { [label]: "onstart" } }),
    true,
    "remove",
  ],
];

for (const [what, wanted, there, isStart, outcome] of rows) {
  test(`${what} ${outcome === "" ? "is left" : `is to be written: ${outcome}`}`, () => {
    const services = new Map(there === undefined ? [] : [[there.name, there]]);
    const { create, change, remove } = planFor(wanted ? [a] : [], services, { label, isStart });
    const all = [...create.map(() => "create"), ...change.map(() => "change"), ...remove.map(() => "remove")];
    assert.equal(all.join(), outcome);
  });
}
