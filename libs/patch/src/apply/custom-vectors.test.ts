import { test } from "node:test";
import { customKind, type NamedSchema } from "../testing/custom-kind.js";
import { playScenario, readVectors, type Scenario } from "../testing/vectors.js";

const kind = customKind(readVectors<NamedSchema>("custom-schemas"));

for (const scenario of [...readVectors<Scenario>("custom"), ...readVectors<Scenario>("custom-random")]) {
  test(`as the reference: ${scenario.name}`, () => playScenario(scenario, kind));
}
