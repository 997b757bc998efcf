import type { Naming } from "@orch/naming/naming.js";
import type { FieldError } from "@orch/status/field-error.js";
import type { Advice, AuditAnnotation } from "../../write/advice.js";
import { type CheckedSpec, checkedPod } from "./check.js";
import type { PodSecurityConfiguration } from "./configuration.js";
import { createEvaluator, detailText, type Evaluate } from "./evaluate.js";
import { type modes, type PolicyOfLabels, policyText } from "./policy.js";
import type { PodState } from "./significant.js";

export interface JudgeDeps {
  readonly configuration: PodSecurityConfiguration;
  readonly evaluate: Evaluate;
  /** An annotation by its name without a domain. */
  readonly note: (name: string, value: string) => AuditAnnotation;
}

export function judgeDeps(naming: Naming, configuration: PodSecurityConfiguration): JudgeDeps {
  const note = (name: string, value: string): AuditAnnotation => ({ key: `pod-security.${naming.key(name)}`, value });
  return { configuration, evaluate: createEvaluator(naming), note };
}

export interface Judgement extends Pick<Advice, "warnings" | "auditAnnotations"> {
  /** What a pod is refused for. */
  readonly violation?: string;
}

/** A pod, or a template of pods, that nobody refuses, against what its namespace asks for. */
export function judge(
  pod: PodState,
  { policy, problems }: PolicyOfLabels,
  { configuration, evaluate, note, enforces }: JudgeDeps & { readonly enforces: boolean },
): Judgement {
  if (isExemptSpec(pod.spec ?? {}, configuration)) return { auditAnnotations: [note("exempt", "runtimeClass")] };
  const checked = checkedPod(pod);
  const brokenOf = (mode: (typeof modes)[number]): string | undefined => {
    const violations = evaluate(policy[mode], checked);
    if (violations.length === 0) return undefined;
    return `PodSecurity ${JSON.stringify(policyText(policy[mode]))}: ${detailText(violations)}`;
  };
  const enforced = enforces ? brokenOf("enforce") : undefined;
  const audited = brokenOf("audit");
  // Whoever is refused is told why already.
  const warned = enforced === undefined ? brokenOf("warn") : undefined;
  return {
    ...(enforced === undefined ? {} : { violation: `violates ${enforced}` }),
    ...(warned === undefined ? {} : { warnings: [`would violate ${warned}`] }),
    auditAnnotations: [
      ...(problems.length === 0 ? [] : [note("error", `Failed to parse policy: ${problemsText(problems)}`)]),
      ...(enforces ? [note("enforce-policy", policyText(policy.enforce))] : []),
      ...(audited === undefined ? [] : [note("audit-violations", `would violate ${audited}`)]),
    ],
  };
}

export function isExemptSpec({ runtimeClassName }: CheckedSpec, { exemptions }: PodSecurityConfiguration): boolean {
  return runtimeClassName !== undefined && exemptions.runtimeClasses.has(runtimeClassName);
}

export function problemsText(problems: readonly FieldError[]): string {
  const texts = problems.map(({ field, message }) => `${field}: ${message}`);
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}
