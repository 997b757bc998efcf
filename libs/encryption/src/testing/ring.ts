import { createNaming } from "@orch/naming/naming.js";
import type { EncryptionConfiguration } from "../configuration/configuration.js";
import { readConfiguration } from "../configuration/read-configuration.js";
import { noPlugins, type PluginKeys } from "../plugin-keys.js";
import { createKeyRing, type KeyRing } from "../ring/key-ring.js";
import { noMetrics } from "../ring/metrics.js";

const naming = createNaming("kubernetes");

/** Rules as a file has them, of the version and kind that it must have. */
export function configurationOf(resources: unknown, naming_ = naming): EncryptionConfiguration {
  const file = { apiVersion: `${naming_.group("apiserver.config")}/v1`, kind: "EncryptionConfiguration", resources };
  const read = readConfiguration(JSON.stringify(file), "c.yaml", { naming: naming_, allowsV1: true, reload: false });
  if (!read.ok) throw new Error(read.problem);
  return read.configuration;
}

/** One that does not wait: a retry runs when the test says so. */
export interface TestClock {
  monotonic(): number;
  after(ms: number, run: () => void): () => void;
  pass(ms: number): void;
}

export function testClock(): TestClock {
  let now = 0;
  let planned: { readonly at: number; readonly run: () => void }[] = [];
  return {
    monotonic: () => now,
    after(ms, run) {
      const one = { at: now + ms, run };
      planned.push(one);
      return () => {
        planned = planned.filter((each) => each !== one);
      };
    },
    pass(ms) {
      now += ms;
      const due = planned.filter(({ at }) => at <= now);
      planned = planned.filter(({ at }) => at > now);
      for (const { run } of due) run();
    },
  };
}

export const ringWith = (plugins: PluginKeys = noPlugins, clock = testClock()): KeyRing =>
  createKeyRing({ plugins, clock, metrics: noMetrics });
