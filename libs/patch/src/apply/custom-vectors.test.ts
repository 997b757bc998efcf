import { test } from "node:test";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { customKind } from "../testing/custom-kind.js";
import { playScenario, readVectors, type Scenario } from "../testing/vectors.js";

interface Vectors {
  readonly schemas: Readonly<Record<string, JsonObject>>;
  readonly scenarios: readonly Scenario[];
}

for (const file of ["custom.json", "custom-random.json"]) {
  const { schemas, scenarios } = readVectors<Vectors>(file);
  const kind = customKind(schemas);
  for (const scenario of scenarios) {
    test(`as the reference: ${scenario.name}`, () => playScenario(scenario, kind));
  }
}
