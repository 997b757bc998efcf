/**
 * What admission policies add to a create: `node services/resource/dist/admission/policies/policies.bench.js`. Prints µs of one
 * judgement of a ConfigMap, the best of some rounds: with no policy, with one of five expressions, and with a thousand of
 * which two are about it.
 */
import { loadCatalog } from "@orch/api/catalog.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { createNaming } from "@orch/naming/naming.js";
import type { Mirror } from "../../mirror.js";
import type { JudgedState, Write } from "../../write/write.js";
import { createAdmission } from "../admission.js";
import { noPolicyMetrics } from "./metrics.js";
import { type PolicyDeps, validatingPolicies } from "./policies.js";

const rounds = 300;
const calls = 50;

async function micros(work: () => unknown): Promise<number> {
  for (let i = 0; i < 3000; i++) await work();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) await work();
    best = Math.min(best, ((performance.now() - start) / calls) * 1000);
  }
  return best;
}

const naming = createNaming("orch");
const catalog = createLiveCatalog(loadCatalog(naming)).now;
const none = (): never => {
  throw new Error("asked for what no policy here needs");
};

function mirrorOf(objects: readonly AnyObject[]): Mirror {
  return {
    ...{ loaded: true, start: () => () => {} },
    find: (_namespace, name) => objects.find(({ metadata }) => metadata.name === name),
    inNamespace: () => objects,
  };
}

const expressions = [
  "object.data.size() < 20 && object.metadata.name.startsWith('x')",
  "!has(object.immutable) || object.immutable == false",
  "object.data.all(k, object.data[k].size() < 100)",
  "object.metadata.name.matches('^[a-z0-9-]+$')",
  "request.operation == 'CREATE' && request.userInfo.username != ''",
];

interface Asked {
  readonly resources: readonly string[];
  readonly labels?: object;
}

function policies(count: number, askedOf: (i: number) => Asked): Pick<PolicyDeps, "policies" | "bindings"> {
  const all = Array.from({ length: count }, (_, i): AnyObject => {
    const { resources, labels } = askedOf(i);
    const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources, scope: "*" };
    const objectSelector = labels === undefined ? {} : { matchLabels: labels };
    const matchConstraints = {
      resourceRules: [rule],
      matchPolicy: "Equivalent",
      namespaceSelector: {},
      objectSelector,
    };
    const validations = expressions.map((expression) => ({ expression }));
    return { metadata: { name: `p${i}`, uid: `p${i}`, generation: 1 }, spec: { matchConstraints, validations } };
  });
  const bindings = all.map(({ metadata: { name = "" } }): AnyObject => {
    return { metadata: { name, uid: name, generation: 1 }, spec: { policyName: name, validationActions: ["Deny"] } };
  });
  return { policies: mirrorOf(all), bindings: mirrorOf(bindings) };
}

const kind = catalog.kind("v1", "ConfigMap");
if (kind === undefined) throw new Error("no ConfigMap");
const object: AnyObject = {
  metadata: { name: "x1", namespace: "default", uid: "u" },
  data: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`key-${i}`, "x".repeat(80)])),
};
const request = {
  ...{ verb: "create", group: "", version: "v1", resource: "configmaps", namespace: "default", name: "" },
  ...{ subresource: "", body: Buffer.alloc(0), contentType: "", options: {}, form: "", userAgent: "", ifMatch: "" },
  user: { name: "admin", uid: "", groups: ["a"], extra: {} },
};
// Of the whole of a write's surroundings, policies use these.
const surroundings: object = { catalog, naming, permissions: {} };
const write: Write = Object.assign(Object.create(null), { deps: surroundings, kind, requested: kind, request });
const state: JudgedState = { write, object, old: undefined, dryRun: false };

async function measured(given: Pick<PolicyDeps, "policies" | "bindings">): Promise<number> {
  const { plugin } = validatingPolicies({
    ...{ ...given, naming, release: catalog.release, metrics: noPolicyMetrics, log: none },
    ...{ pause: none, now: () => performance.now(), store: Object.create(null) },
    namespaces: mirrorOf([{ metadata: { name: "default" } }]),
  });
  const admission = createAdmission([plugin]);
  const judged = await admission.validate(state);
  if (judged?.refusal !== undefined) throw judged.refusal;
  return micros(() => admission.validate(state));
}

const label = { other: "one" };
const rows: readonly (readonly [string, Pick<PolicyDeps, "policies" | "bindings">])[] = [
  ["no policy", policies(0, () => ({ resources: [] }))],
  ["one policy of five expressions", policies(1, () => ({ resources: ["configmaps"] }))],
  [
    "1,000 policies, two about ConfigMaps",
    policies(1000, (i) => ({ resources: [i % 500 === 0 ? "configmaps" : "pods"] })),
  ],
  [
    "1,000 policies about ConfigMaps, two by their labels",
    policies(1000, (i) => ({ resources: ["configmaps"], ...(i % 500 === 0 ? {} : { labels: label }) })),
  ],
];
for (const [what, given] of rows) process.stdout.write(`${what}: ${(await measured(given)).toFixed(2)} µs\n`);
