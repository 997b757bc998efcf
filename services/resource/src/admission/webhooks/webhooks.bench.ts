/**
 * What a webhook adds to a create beside the call itself (`libs/outbound/dist/caller.bench.js`):
 * `node services/resource/dist/admission/webhooks/webhooks.bench.js`. Prints µs of one judgement of a ConfigMap of 1 KiB, the best
 * of some rounds: with no webhook, with one, and with a hundred that ask about something else.
 */
import { loadCatalog } from "@orch/api/catalog.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { createNaming } from "@orch/naming/naming.js";
import type { Mirror } from "../../mirror.js";
import type { JudgedState, Write } from "../../write/write.js";
import { createAdmission } from "../admission.js";
import { noWebhookMetrics } from "./metrics.js";
import { validatingWebhooks } from "./webhooks.js";

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

function mirrorOf(objects: readonly AnyObject[]): Mirror {
  return {
    ...{ loaded: true, start: () => () => {} },
    find: (_namespace, name) => objects.find(({ metadata }) => metadata.name === name),
    inNamespace: () => objects,
  };
}

function configurations(count: number, resource: string): readonly AnyObject[] {
  return Array.from({ length: count }, (_, i) => ({
    metadata: { name: `c${i}` },
    webhooks: [
      {
        name: `w${i}.example.com`,
        clientConfig: { url: "https://example.com/" },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: [resource], scope: "*" }],
        ...{ failurePolicy: "Fail", sideEffects: "None", admissionReviewVersions: ["v1"], timeoutSeconds: 10 },
      },
    ],
  }));
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
// Of the whole of a write's surroundings, webhooks use these.
const surroundings: object = { catalog, naming, permissions: {} };
const write: Write = Object.assign(Object.create(null), { deps: surroundings, kind, requested: kind, request });
const state: JudgedState = { write, object, old: undefined, dryRun: false };
const response = { uid: "u", allowed: true };
const apiVersion = `${naming.group("admission")}/v1`;
const answer = Promise.resolve(Buffer.from(JSON.stringify({ kind: "AdmissionReview", apiVersion, response })));

async function measured(all: readonly AnyObject[]): Promise<number> {
  const plugin = validatingWebhooks({
    ...{ naming, release: catalog.release, configurations: mirrorOf(all), metrics: noWebhookMetrics },
    ...{ call: () => answer, newUid: () => "u", now: () => performance.now() },
    namespaces: mirrorOf([{ metadata: { name: "default" } }]),
  });
  const admission = createAdmission([plugin]);
  const judged = await admission.validate(state);
  if (judged?.refusal !== undefined) throw judged.refusal;
  return micros(() => admission.validate(state));
}

const rows: readonly (readonly [string, readonly AnyObject[]])[] = [
  ["no webhook", []],
  ["one webhook", configurations(1, "configmaps")],
  ["100 webhooks about something else", configurations(100, "pods")],
];
for (const [what, all] of rows) process.stdout.write(`${what}: ${(await measured(all)).toFixed(2)} µs\n`);
