import assert from "node:assert/strict";
import { test } from "node:test";
import { admitted, clusterWide } from "../testing/admitted.js";
import { everything, type Hooked, hooked } from "../testing/webhooks.js";

const broken = { "x:bad": {} };
const warned = /^\.metadata\.managedFields was in an invalid state after admission; .*: unknown path element "x:bad"$/;

async function policy(cluster: Pick<Hooked, "make" | "settled">, expression: string): Promise<void> {
  const of = (resource: string) => ({
    ...clusterWide(resource, "admissionregistration.k8s.io"),
    version: "v1alpha1",
  });
  const spec = {
    matchConstraints: { resourceRules: [{ ...everything, apiGroups: [""], resources: ["configmaps"] }] },
    reinvocationPolicy: "Never",
    mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }],
  };
  await cluster.make(of("mutatingadmissionpolicies"), { metadata: { name: "p" }, spec });
  await cluster.make(of("mutatingadmissionpolicybindings"), { metadata: { name: "p" }, spec: { policyName: "p" } });
  await cluster.settled();
}

const map = { metadata: { name: "a" }, data: { a: "b" } };
const dry = { options: { dryRun: "All", fieldManager: "me" } };

test("managers that a mutating policy breaks are put right", async (t) => {
  const cluster = await admitted(t, { mutatingPolicies: true });
  const path = "/metadata/managedFields/0/fieldsV1";
  await policy(cluster, `[JSONPatch{op: "replace", path: "${path}", value: {"x:bad": {}}}]`);
  const reply = await cluster.write(dry, map);
  const [entry] = cluster.read(reply).metadata.managedFields ?? [];
  assert.equal(entry?.["manager"], "me");
  assert.deepEqual(entry?.["fieldsV1"], { "f:data": { ".": {}, "f:a": {} } });
  assert.equal(reply.warnings.length, 1);
  assert.match(reply.warnings[0] ?? "", warned);
});

test("managers that can be read are as a webhook left them, and those that cannot are as nobody touched them", async (t) => {
  const { write, read, react, configure } = await hooked(t);
  const patched = (path: string, value: unknown) => {
    const patch = Buffer.from(JSON.stringify([{ op: "replace", path, value }])).toString("base64");
    return { allowed: true, patchType: "JSONPatch", patch };
  };
  await configure("Mutating", "m", [{}, {}]);
  const managers = async (values: readonly [string, unknown][]) => {
    let next = 0;
    react(() => patched(...(values[next++] ?? assert.fail())));
    const reply = await write(dry, map);
    const entries = read(reply).metadata.managedFields ?? [];
    return { managers: entries.map(({ manager }) => manager), warnings: reply.warnings.length };
  };
  const renamed: [string, unknown] = ["/metadata/managedFields/0/manager", "else"];
  const bad: [string, unknown] = ["/metadata/managedFields/0/fieldsV1", broken];
  const repaired: [string, unknown] = ["/metadata/managedFields/0/fieldsV1", { "f:data": {} }];
  assert.deepEqual(await managers([renamed, ["/data/a", "c"]]), { managers: ["else"], warnings: 0 });
  assert.deepEqual(await managers([renamed, bad]), { managers: ["me"], warnings: 1 });
  assert.deepEqual(await managers([bad, repaired]), { managers: ["me"], warnings: 0 });
});
