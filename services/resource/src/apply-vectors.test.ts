import { test } from "node:test";
import { type Kind, loadCatalog } from "@orch/api/catalog.js";
import { withMetadata } from "@orch/api/object.js";
import { asVersion, decodeObject, fromHub, setDefaults, toHub } from "@orch/api/writes.js";
import { createNaming } from "@orch/naming/naming.js";
import { playScenario, readVectors, type Scenario, type VectorKind } from "@orch/patch/testing/vectors.js";
import { complete } from "@orch/schema/complete.js";
import type { JsonObject } from "@orch/schema/descriptor.js";

const catalog = loadCatalog(createNaming("kubernetes"));

function known(apiVersion: unknown, name: string): Kind {
  const kind = catalog.kind(String(apiVersion), name);
  if (kind === undefined) throw new Error(`no kind ${name} in ${String(apiVersion)}`);
  return kind;
}

/** A kind of the catalog with its own types, defaults and conversions. */
function kindOf(name: string): VectorKind {
  return {
    versions: {
      type: (apiVersion) => catalog.kind(apiVersion, name)?.type,
      convert: (object, apiVersion) => {
        const from = known(object["apiVersion"], name);
        const hub = toHub(from, decodeObject(from, object).object);
        return asVersion(known(apiVersion, name), hub);
      },
    },
    finish: (object: JsonObject) => {
      const kind = known(object["apiVersion"], name);
      const decoded = setDefaults(kind, withMetadata(decodeObject(kind, object).object));
      return complete(kind.type, fromHub(kind, toHub(kind, decoded)));
    },
  };
}

for (const scenario of readVectors<Scenario>("built-in")) {
  test(`as the reference: ${scenario.name}`, () => playScenario(scenario, () => kindOf(scenario.kind)));
}
