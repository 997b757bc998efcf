import type { PodFailureRule } from "@orch/api/kinds/batch/types.js";
import type { Pod } from "../rim/pods.js";
import type { Job } from "./types.js";

/** What a failed pod does to its job. */
export type FailureVerdict =
  | { readonly action: "FailJob"; readonly message: string }
  | { readonly action: "FailIndex" }
  | { readonly action: "Ignore" }
  | { readonly action: "Count" };

/** By the first rule that matches; only of pods that have failed. */
export function judgeFailure(pod: Pod, { spec }: Job): FailureVerdict {
  const { rules = [] } = spec?.podFailurePolicy ?? {};
  if (pod.status?.phase !== "Failed") return { action: "Count" };
  for (const [i, rule] of rules.entries()) {
    const why = matched(pod, rule);
    if (why === undefined) continue;
    if (rule.action === "FailJob") return { action: "FailJob", message: `${why} matching FailJob rule at index ${i}` };
    if (rule.action === "Ignore") return { action: "Ignore" };
    if (rule.action === "FailIndex" && spec?.backoffLimitPerIndex !== undefined) return { action: "FailIndex" };
    return { action: "Count" };
  }
  return { action: "Count" };
}

/** What of the pod a rule matches, in words. */
function matched(pod: Pod, { onExitCodes, onPodConditions }: PodFailureRule): string | undefined {
  const place = `${pod.metadata.namespace}/${pod.metadata.name}`;
  if (onExitCodes !== undefined) {
    const { containerName, operator, values = [] } = onExitCodes;
    const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
    for (const { name, state } of [...initContainerStatuses, ...containerStatuses]) {
      const code = state?.terminated?.exitCode ?? 0;
      if (code === 0 || (containerName !== undefined && containerName !== name)) continue;
      if (values.includes(code) === (operator === "In")) {
        return `Container ${name} for pod ${place} failed with exit code ${code}`;
      }
    }
    return undefined;
  }
  for (const { type, status = "True" } of onPodConditions ?? []) {
    const isThere = pod.status?.conditions?.some((each) => each.type === type && each.status === status) === true;
    if (isThere) return `Pod ${place} has condition ${type}`;
  }
  return undefined;
}
