import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "./catalog.js";
import { storedResource } from "./stored-resource.js";

const catalog = loadCatalog(createNaming("kubernetes"));

const rows: Readonly<Record<string, string | undefined>> = {
  "secrets/ns/a": "secrets.",
  "services/specs/ns/a": "services.",
  "minions/a": "nodes.",
  "deployments/ns/a": "deployments.apps",
  "events/ns/a": "events.",
  "leases/ns/a": "leases.coordination.k8s.io",
  "stable.example.com/widgets/ns/a": "widgets.stable.example.com",
  "stable.example.com/widgets/a": "widgets.stable.example.com",
  "allocations/ips/x": undefined,
  compaction: undefined,
  "": undefined,
};

for (const [key, expected] of Object.entries(rows)) {
  test(`at ${JSON.stringify(key)} stands ${expected ?? "no object"}`, () => {
    const name = storedResource(catalog, key);
    assert.equal(name && `${name.resource}.${name.group}`, expected);
    assert.ok(key.startsWith("stable") || storedResource(catalog, key) === name);
  });
}
