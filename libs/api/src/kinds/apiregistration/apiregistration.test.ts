import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { valueAt } from "../../object.js";
import { expectErrors, type Wanted } from "../../testing/error-rows.js";
import { createKindKit, type Tree, testContext } from "../../testing/kind-kit.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const kind = "apiregistration.k8s.io/v1.APIService";
const beta = "apiregistration.k8s.io/v1beta1.APIService";

const serviceOf = (spec: Tree, name = "v1.g.example"): Tree => ({
  metadata: { name },
  spec: { group: "g.example", version: "v1", groupPriorityMinimum: 1000, versionPriority: 15, ...spec },
});
const remote = { service: { namespace: "n", name: "s" } };

const creates: readonly (readonly [string, Tree, readonly Wanted[]])[] = [
  ["good and local", serviceOf({}), []],
  ["good and elsewhere", serviceOf({ ...remote, caBundle: "YQ==" }), []],
  ["of the core group", serviceOf({ group: "" }, "v1."), []],
  [
    "named otherwise",
    serviceOf({}, "v2.g.example"),
    ['metadata.name: Invalid value: "v2.g.example": must be `spec.version+"."+spec.group`: "v1.g.example"'],
  ],
  ["named with a slash", serviceOf({}, "a/b"), [`metadata.name: Invalid value: "a/b": may not contain '/'`]],
  [
    "without a group",
    serviceOf({ group: "", version: "v2" }, "v2."),
    ["spec.group: Required value: only v1 may have an empty group and it better be legacy kube"],
  ],
  [
    "of a group of wrong form",
    serviceOf({ group: "G" }, "v1.G"),
    [/^spec.group: Invalid value: "G": a lowercase RFC 1123 subdomain must/],
  ],
  [
    "of a version of wrong form",
    serviceOf({ version: "1" }, "1.g.example"),
    [/^spec.version: Invalid value: "1": a DNS-1035 label must/],
  ],
  [
    "without priorities",
    serviceOf({ groupPriorityMinimum: 0, versionPriority: -1 }),
    [
      "spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000",
      "spec.versionPriority: Invalid value: -1: must be positive and less than 1000",
    ],
  ],
  [
    "with priorities too high",
    serviceOf({ groupPriorityMinimum: 20001, versionPriority: 1001 }),
    [
      "spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000",
      "spec.versionPriority: Invalid value: 1001: must be positive and less than 1000",
    ],
  ],
  ["with the highest priorities", serviceOf({ groupPriorityMinimum: 20000, versionPriority: 1000 }), []],
  [
    "local, with what only others need",
    serviceOf({ caBundle: "YWJj", insecureSkipTLSVerify: true }),
    [
      'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
      "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify",
    ],
  ],
  [
    "elsewhere, nobody knows where",
    serviceOf({ service: { port: 65536 } }),
    [
      "spec.service.namespace: Required value",
      "spec.service.name: Required value",
      "spec.service.port: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive",
    ],
  ],
  [
    "that trusts a certificate and everyone",
    serviceOf({ ...remote, caBundle: "YWJj", insecureSkipTLSVerify: true }),
    ["spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present"],
  ],
];

for (const [what, tree, wanted] of creates) {
  expectErrors(`a service ${what}`, wanted, () => kit.createErrors(kind, tree));
  expectErrors(`a v1beta1 service ${what}`, wanted, () => kit.createErrors(beta, tree));
}

expectErrors("an update to another group", [/^metadata.name: Invalid value: "v1.g.example": must be/], () =>
  kit
    .updateErrors(kind, { ...serviceOf({ group: "h.example" }) }, serviceOf({}))
    .filter((e) => !e.includes("resourceVersion")),
);

test("a service listens on 443 unless it says otherwise", () => {
  for (const version of [kind, beta]) {
    assert.equal(valueAt(kit.defaulted(version, serviceOf(remote)), "spec.service.port"), 443);
    assert.equal(valueAt(kit.defaulted(version, serviceOf({})), "spec.service"), undefined);
  }
});

test("a local service is available at once, another one when somebody says so", () => {
  const available = {
    type: "Available",
    status: "True",
    lastTransitionTime: testContext.now,
    reason: "Local",
    message: "Local APIServices are always available",
  };
  const status = { conditions: [{ type: "Available", status: "False" }] };
  assert.deepEqual(kit.created(kind, { ...serviceOf({}), status })["status"], { conditions: [available] });
  assert.equal(kit.created(kind, { ...serviceOf(remote), status })["status"], undefined);
});

test("a status write changes the status alone", () => {
  const before = { ...serviceOf(remote), metadata: { name: "v1.g.example", labels: { a: "b" } } };
  const status = { conditions: [{ type: "Available", status: "True" }] };
  const tree = { ...serviceOf({}), metadata: { name: "v1.g.example", labels: { c: "d" } }, status };
  const next = kit.part(kind, "status", { tree, before });
  assert.deepEqual(next["status"], status);
  assert.deepEqual(valueAt(next, "spec.service"), { ...remote.service, port: 443 });
  assert.deepEqual(next.metadata, { name: "v1.g.example", labels: { a: "b" } });
});

expectErrors(
  "a status with a condition of unknown status",
  ['status.conditions[0].status: Unsupported value: "true": supported values: "True", "False", "Unknown"'],
  () =>
    kit.partErrors(kind, "status", {
      tree: { ...serviceOf({}), status: { conditions: [{ type: "Available", status: "true" }] } },
      before: serviceOf({}),
    }),
);
