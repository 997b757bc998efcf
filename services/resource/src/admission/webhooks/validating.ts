import { once } from "@orch/api/catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import type { ApiError } from "@orch/status/api-error.js";
import type { Advice, AuditAnnotation } from "../../write/advice.js";
import { askingFor } from "../matching/asking.js";
import type { Concerned } from "../matching/by-resource.js";
import type { Question } from "../matching/question.js";
import { type Answer, type AskDeps, ask, byHook } from "./ask.js";
import type { Hook } from "./hook.js";

/**
 * Asks all at once. The first in their order who refuses is who is told; what all others have to tell is told too.
 * @throws ApiError where one cannot be asked, and that matters
 */
export async function validateByWebhooks(
  concerned: readonly Concerned<Hook>[],
  question: Question,
  deps: AskDeps,
): Promise<Advice> {
  const asking = once(() => askingFor(question));
  const asked = await Promise.allSettled(
    concerned.map((one) => ask(one, question, { ...deps, kind: "validating", asking })),
  );
  const warnings: string[] = [];
  const auditAnnotations: AuditAnnotation[] = [];
  let refusal: ApiError | undefined;
  for (const [i, settled] of asked.entries()) {
    if (settled.status === "rejected") throw settled.reason;
    const hook = concerned[i]?.one;
    if (hook === undefined) continue;
    const { value } = settled;
    warnings.push(...warningsOf(value));
    auditAnnotations.push(...annotationsOf(hook, value));
    if (value.type === "none" && value.failedOpen) {
      auditAnnotations.push({
        key: roundKey("failed-open.validating", { naming: question.write.deps.naming, round: 0, index: i }),
        value: hook.name,
      });
    }
    if (value.type === "denied") refusal ??= value.error;
    if (value.type === "allowed") question.write.explaining?.asked({ by: byHook(hook), outcome: "allowed" });
  }
  return { warnings, auditAnnotations, refusal };
}

/** `mutation.webhook.admission…/round_0_index_1`: of a webhook by its place among those that are asked. */
export function roundKey(
  what: string,
  at: { readonly naming: Naming; readonly round: number; readonly index: number },
): string {
  return `${what}.webhook.admission.${at.naming.auditKey(`round_${at.round}_index_${at.index}`)}`;
}

export function warningsOf(answer: Answer): readonly string[] {
  return answer.type === "none" ? [] : answer.verdict.warnings;
}

/** Under the webhook's own name. */
export function annotationsOf({ name }: Hook, answer: Answer): readonly AuditAnnotation[] {
  if (answer.type === "none") return [];
  return Object.entries(answer.verdict.auditAnnotations).map(([key, value]) => ({ key: `${name}/${key}`, value }));
}
