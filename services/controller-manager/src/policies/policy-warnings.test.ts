import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { PolicySpec } from "@orch/api/kinds/admissionregistration/types.js";
import type { PolicySource } from "@orch/cel/admission/policy.js";
import type { TypeWarning } from "@orch/cel/admission/type-check.js";
import { viewOfJsonSchema } from "@orch/cel/schema/json-schema.js";
import type { ApiResource } from "@orch/client/discovery.js";
import { policyWarnings } from "./policy-warnings.js";

/** A line of `testdata/type-checking.jsonl`. */
interface Row {
  readonly about?: string;
  readonly spec: PolicySpec & PolicySource;
  readonly warnings: readonly TypeWarning[];
}

const rows: readonly Row[] = readFileSync(new URL("../../testdata/type-checking.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const text = { type: "string" };
const integer = { type: "integer" };
const objectOf = (properties: object): object => ({ type: "object", properties });
const listOf = (items: object): object => ({ type: "array", items });
const template = objectOf({ spec: objectOf({ containers: listOf(objectOf({ name: text, image: text })) }) });
const deployment = { spec: objectOf({ replicas: integer, paused: { type: "boolean" }, template }) };

interface Served extends ApiResource {
  readonly fields: object;
}

function served(apiVersion: string, kind: string, fields: object): Served {
  const [group = "", version = ""] = apiVersion.split("/");
  const resource = `${kind.toLowerCase()}s`;
  return { ...{ group, version, resource, kind, namespaced: true, verbs: ["get"] }, fields };
}

/** What the reference's checker was given. */
const kinds: readonly Served[] = [
  served("apps/v1", "Deployment", deployment),
  served("apps/v1beta1", "Deployment", deployment),
  served("apps/v1", "ReplicaSet", { spec: objectOf({ replicas: text, minReadySeconds: integer }) }),
  served("/v1", "ConfigMap", { data: { type: "object", additionalProperties: text } }),
  served("example.com/v1", "Limit", { spec: objectOf({ max: integer }) }),
];
const metadata = objectOf({ name: text });
const aboutDeployments = {
  resourceRules: [{ apiGroups: ["apps"], apiVersions: ["v1"], operations: ["*"], resources: ["deployments"] }],
};

for (const { about, spec, warnings } of rows) {
  test(`types of a policy are checked as the reference checks them: ${about ?? JSON.stringify(spec)}`, async () => {
    const found = await policyWarnings(
      { matchConstraints: aboutDeployments, ...spec },
      {
        dialect: "kubernetes",
        served: kinds,
        async typeOf(asked) {
          const { group, version, kind, fields } = kinds.find((one) => one === asked) ?? assert.fail("not served");
          const view = viewOfJsonSchema(objectOf({ metadata, ...fields }));
          return { apiVersion: `${group}/${version}`, kind, name: kind, view };
        },
      },
    );
    assert.deepEqual(found, warnings);
  });
}
