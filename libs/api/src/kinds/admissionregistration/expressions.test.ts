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

test("what is wrong with an item is told in one place", () => {
  const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }];
  const spec: Tree = {
    failurePolicy: "Fail",
    matchConstraints: { resourceRules: rules },
    matchConditions: [
      { name: "a b", expression: "1" },
      { name: "", expression: "true" },
    ],
    variables: [
      { name: "1", expression: "true" },
      { name: "v", expression: "" },
    ],
    validations: [{ expression: "variables.v", message: " ", messageExpression: "duration('1s')" }],
    auditAnnotations: [{ key: "k k", valueExpression: "'x'.find('(')" }],
  };
  const found = kit.createErrors(types["validatingadmissionpolicies"] ?? "", { metadata: { name: "p" }, spec });
  assert.deepEqual(
    found.map((text) => text.slice(0, text.indexOf(":"))),
    [
      "spec.matchConditions[0].expression",
      "spec.matchConditions[0].name",
      "spec.matchConditions[1].name",
      "spec.variables[0].name",
      "spec.variables[1].expression",
      "spec.validations[0].expression",
      "spec.validations[0].messageExpression",
      "spec.validations[0].message",
      "spec.auditAnnotations[0].key",
      "spec.auditAnnotations[0].valueExpression",
    ],
  );
  assert.match(found.join("\n"), /got google.protobuf.Duration/);
  assert.match(found.join("\n"), /Internal error: program instantiation failed/);
});
