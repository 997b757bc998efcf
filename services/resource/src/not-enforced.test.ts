import assert from "node:assert/strict";
import { test } from "node:test";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { openBed } from "./testing/bed.js";

const clientConfig = { url: "https://hooks.example.com/" };
const kinds: readonly (readonly [Partial<WriteRequest>, string, object])[] = [
  [
    { group: "admissionregistration.orch", resource: "validatingwebhookconfigurations", namespace: "" },
    "ValidatingWebhookConfiguration is stored and not enforced yet: no webhooks are called",
    { webhooks: [{ name: "a.example.com", clientConfig, sideEffects: "None", admissionReviewVersions: ["v1"] }] },
  ],
  [
    { resource: "resourcequotas" },
    "ResourceQuota is stored and not enforced yet: nothing is counted or limited",
    { spec: { hard: { pods: "1" } } },
  ],
  [
    { group: "apiregistration.orch", resource: "apiservices", namespace: "" },
    "APIService is stored and not enforced yet: no request is passed on to another server",
    {
      metadata: { name: "v1.example.com" },
      spec: {
        group: "example.com",
        version: "v1",
        groupPriorityMinimum: 1,
        versionPriority: 1,
        insecureSkipTLSVerify: true,
        service: { name: "s", namespace: "default" },
      },
    },
  ],
];

for (const [place, warning, data] of kinds) {
  test(`each way to write a ${place.resource} warns that it is not enforced`, async (t) => {
    const { write, read } = await (await openBed(t, "orch")).start();
    const object = { metadata: { name: "a" }, ...data };
    const { name } = object.metadata;
    const made = await write(place, object);
    const { apiVersion, kind } = read(made);
    const patch = (type: string) =>
      ({ ...place, verb: "patch", name, contentType: `application/${type}`, options: { fieldManager: "m" } }) as const;
    const labels = (value: string) => ({ metadata: { name, labels: { value } } });
    const replies = [
      made,
      await write({ ...place, verb: "update", name }, read(made)),
      await write(patch("merge-patch+json"), labels("a")),
      await write(patch("apply-patch+yaml"), { apiVersion, kind, metadata: { name, labels: { other: "a" } } }),
      await write({ ...patch("merge-patch+json"), options: { dryRun: "All" } }, labels("b")),
    ];
    for (const { warnings } of replies) assert.deepEqual(warnings, [warning]);
    assert.deepEqual((await write({ ...place, verb: "delete", name })).warnings, []);
  });
}

test("a warning of a body stands before the one that it is not enforced", async (t) => {
  const { write } = await (await openBed(t, "orch")).start();
  const { warnings } = await write({ resource: "resourcequotas" }, { metadata: { name: "a" }, surplus: 1 });
  assert.deepEqual(warnings, [
    'unknown field "surplus"',
    "ResourceQuota is stored and not enforced yet: nothing is counted or limited",
  ]);
});

test("a namespace warns where its labels ask for a security standard, in the words of its dialect", async (t) => {
  const { write } = await (await openBed(t, "kubernetes")).start();
  const place = { resource: "namespaces", namespace: "" };
  const label = "pod-security.kubernetes.io/enforce";
  assert.deepEqual((await write(place, { metadata: { name: "plain", labels: { a: "b" } } })).warnings, []);
  const { warnings } = await write(place, { metadata: { name: "strict", labels: { [label]: "restricted" } } });
  assert.deepEqual(warnings, [
    `label ${label} is stored and not enforced yet: pods are not held to security standards`,
  ]);
});

test("what has its effect warns of nothing", async (t) => {
  const { write } = await (await openBed(t, "orch")).start();
  const rules = { metadata: { name: "a" }, rules: [] };
  assert.deepEqual((await write({}, { metadata: { name: "a" } })).warnings, []);
  assert.deepEqual((await write({ group: "rbac.authorization.orch", resource: "roles" }, rules)).warnings, []);
});
