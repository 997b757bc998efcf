import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";

interface Row {
  readonly resource: string;
  readonly spec?: Tree;
  readonly webhooks?: readonly Tree[];
  readonly errors: readonly string[];
}

const file = new URL("../../../testdata/admission-expressions.json", import.meta.url);
const rows: readonly Row[] = JSON.parse(readFileSync(file, "utf8"));
const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const group = "admissionregistration.k8s.io";
const types: Readonly<Record<string, string>> = {
  validatingadmissionpolicies: `${group}/v1.ValidatingAdmissionPolicy`,
  mutatingadmissionpolicies: `${group}/v1alpha1.MutatingAdmissionPolicy`,
  validatingwebhookconfigurations: `${group}/v1.ValidatingWebhookConfiguration`,
  mutatingwebhookconfigurations: `${group}/v1.MutatingWebhookConfiguration`,
};

for (const [i, { resource, spec, webhooks, errors }] of rows.entries()) {
  const body: Tree = spec === undefined ? { webhooks } : { spec };
  test(`expressions of ${resource}: ${i}: ${errors[0] ?? "none is wrong"}`, () => {
    const found = kit.createErrors(types[resource] ?? "", body);
    assert.deepEqual([...found].sort(), [...errors].sort());
  });
}
