import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { Resources } from "../kinds/core/resources.js";
import { type Counted, decideQuotas } from "./decide.js";
import { evaluatorOf } from "./evaluators.js";
import type { ResourceQuota } from "./types.js";

const naming = createNaming("kubernetes");
const quota = (name: string, hard: Resources, used: Resources, spec: ResourceQuota["spec"] = {}): ResourceQuota => ({
  metadata: { name },
  spec,
  status: { hard, used },
});
const pod = (requests: Resources = {}) => ({
  metadata: {},
  spec: { containers: [{ name: "c", resources: { requests } }] },
});
const claim = (storage: string) => ({ metadata: {}, spec: { resources: { requests: { storage } } } });

function says(plural: string, quotas: readonly ResourceQuota[], counted: Pick<Counted, "object"> & Partial<Counted>) {
  const evaluator = evaluatorOf({ group: "", plural }, naming);
  const decision = decideQuotas(quotas, { old: undefined, limited: [], ...counted, evaluator, now: 0 });
  if (decision.type === "refused") return decision.why;
  return Object.fromEntries(decision.raised.map(({ quota: { metadata }, used }) => [metadata.name, used]));
}

const rows: readonly (readonly [what: string, said: ReturnType<typeof says>, expected: ReturnType<typeof says>])[] = [
  [
    "raises every quota in what it limits",
    says("pods", [quota("a", { pods: "2" }, { pods: "1" }), quota("b", { cpu: "2" }, { cpu: "500m" })], {
      object: pod({ cpu: "1" }),
    }),
    { a: { pods: "2" }, b: { cpu: "1500m" } },
  ],
  [
    "refuses what is too much, the first quota says so",
    says(
      "pods",
      [quota("a", { pods: "1", cpu: "1" }, { pods: "1", cpu: "500m" }), quota("b", { pods: "0" }, { pods: "0" })],
      { object: pod({ cpu: "1" }) },
    ),
    "exceeded quota: a, requested: cpu=1,pods=1, used: cpu=500m,pods=1, limited: cpu=1,pods=1",
  ],
  [
    "has nothing to say of what it does not limit, or has not counted",
    says("pods", [quota("a", { services: "0" }, {}), quota("b", {}, {})], { object: pod() }),
    {},
  ],
  [
    "refuses while a part of it is not counted",
    says("pods", [quota("a", { pods: "5", "count/pods": "5" }, { pods: "1" })], { object: pod() }),
    "status unknown for quota: a, resources: count/pods,pods",
  ],
  [
    "refuses who does not say how much",
    says("pods", [quota("a", { cpu: "5" }, { cpu: "1" })], { object: pod() }),
    "failed quota: a: must specify cpu for: c",
  ],
  [
    "counts only what is of all its scopes",
    says(
      "pods",
      [
        quota("a", { pods: "0" }, { pods: "0" }, { scopes: ["NotBestEffort", "NotTerminating"] }),
        quota(
          "b",
          { pods: "5" },
          { pods: "0" },
          { scopeSelector: { matchExpressions: [{ scopeName: "BestEffort", operator: "Exists" }] } },
        ),
      ],
      { object: pod() },
    ),
    { b: { pods: "1" } },
  ],
  [
    "charges a change with its difference",
    says("persistentvolumeclaims", [quota("a", { "requests.storage": "3Gi" }, { "requests.storage": "2Gi" })], {
      object: claim("2Gi"),
      old: claim("1Gi"),
    }),
    { a: { "requests.storage": "3Gi" } },
  ],
  [
    "lets what becomes less become less, however much there is",
    says("persistentvolumeclaims", [quota("a", { "requests.storage": "1Gi" }, { "requests.storage": "9Gi" })], {
      object: claim("1Gi"),
      old: claim("2Gi"),
    }),
    { a: { "requests.storage": "8Gi" } },
  ],
  [
    "says nothing of what stays the same",
    says("persistentvolumeclaims", [quota("a", { "requests.storage": "1Gi" }, { "requests.storage": "9Gi" })], {
      object: claim("2Gi"),
      old: claim("2Gi"),
    }),
    {},
  ],
];
for (const [what, said, expected] of rows) test(`a quota ${what}`, () => assert.deepEqual(said, expected));

const limitedStorage = { group: "", resource: "persistentvolumeclaims", matchContains: ["storage"], matchScopes: [] };
const limitedClass = {
  ...{ group: "", resource: "pods", matchContains: [] },
  matchScopes: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }],
};
const high = { metadata: {}, spec: { priorityClassName: "high" } };

test("what is limited by configuration only those have whom a quota allows it", () => {
  const object = claim("1Gi");
  const limited = [limitedStorage];
  assert.equal(
    says("persistentvolumeclaims", [], { object, limited }),
    "insufficient quota to consume: requests.storage",
  );
  const covering = quota("a", { "requests.storage": "9Gi" }, { "requests.storage": "0" });
  assert.deepEqual(says("persistentvolumeclaims", [covering], { object, limited }), {
    a: { "requests.storage": "1Gi" },
  });
});

test("a scope that is limited by configuration only those enter whom a quota allows it", () => {
  const why = "insufficient quota to match these scopes: [{PriorityClass In [high]}]";
  assert.equal(says("pods", [], { object: high, limited: [limitedClass] }), why);
  assert.deepEqual(says("pods", [], { object: pod(), limited: [limitedClass] }), {});
  const covering = quota(
    "a",
    { pods: "9" },
    { pods: "0" },
    { scopeSelector: { matchExpressions: limitedClass.matchScopes } },
  );
  assert.deepEqual(says("pods", [covering], { object: high, limited: [limitedClass] }), { a: { pods: "1" } });
});
