import type { Dialect } from "@orch/naming/naming.js";
import { type CelEnvironment, createEnvironment } from "../environment.js";

/** Where the rules of schemas are written: what is new of a release that may have to be rolled back, and what is stored. */
export interface RuleEnvironments {
  readonly fresh: CelEnvironment;
  readonly stored: CelEnvironment;
  /** Whether new rules may select reserved words as they are written. */
  readonly freshKeywords: boolean;
}

const keywordsSince = 31;
const known = new Map<string, RuleEnvironments>();

/** `release`: `1.32`, the one that the server is or emulates; what is new must be readable by the one before it. */
export function ruleEnvironments(dialect: Dialect, release: string): RuleEnvironments {
  const key = `${dialect} ${release}`;
  const environments = known.get(key) ?? makeEnvironments(dialect, Number(release.split(".")[1]) - 1);
  known.set(key, environments);
  return environments;
}

function makeEnvironments(dialect: Dialect, release: number): RuleEnvironments {
  return {
    fresh: createEnvironment({ dialect, release }),
    stored: createEnvironment({ dialect }),
    freshKeywords: release >= keywordsSince,
  };
}
