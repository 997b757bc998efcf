import { podAnnotationKeys } from "@orch/api/kinds/core/pod/annotation-keys.js";
import type { Naming } from "@orch/naming/naming.js";
import { baselineChecks } from "./baseline-checks.js";
import type { Check, CheckedPod, CheckVersion, Violation } from "./check.js";
import type { Level, LevelVersion } from "./policy.js";
import { restrictedChecks } from "./restricted-checks.js";

/** The release whose rules are the latest ones: later versions that a namespace names ask for the same. */
const newest = 32;

/** Everything that a pod breaks of a level's rules as a release had them, those of the baseline first. */
export type Evaluate = (asked: LevelVersion, pod: CheckedPod) => readonly Violation[];

export function createEvaluator(naming: Naming): Evaluate {
  const baseline = baselineChecks(podAnnotationKeys(naming));
  const rulesOf = (level: Level, minor: number): readonly CheckVersion[] => {
    if (level === "privileged") return [];
    if (level === "baseline") return inForce(baseline, minor);
    const restricted = inForce(restrictedChecks, minor);
    const overridden = new Set(restricted.flatMap(({ overrides = [] }) => overrides));
    const left = baseline.filter(({ id }) => !overridden.has(id));
    return [...inForce(left, minor), ...restricted];
  };
  // As many as there are levels and releases: later versions are the newest one.
  const known = new Map<string, readonly CheckVersion[]>();
  return ({ level, version }, pod) => {
    const minor = version === "latest" ? newest : Math.min(version, newest);
    const asked = `${level}:${minor}`;
    const rules = known.get(asked) ?? rulesOf(level, minor);
    known.set(asked, rules);
    return rules.flatMap(({ check }) => check(pod) ?? []);
  };
}

/** Of each rule the form that it has at a release; a rule that came later has none. */
function inForce(checks: readonly Check[], minor: number): readonly CheckVersion[] {
  return checks.flatMap(({ versions }) => versions.findLast(({ since }) => since <= minor) ?? []);
}

/** `host namespaces (hostPID=true), privileged (…)` */
export function detailText(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
}

/** The same without what each is about. */
export function reasonText(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(", ");
}
