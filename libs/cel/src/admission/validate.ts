import type { CompiledPolicy, ValidationSource } from "./policy.js";
import { type Evaluated, matchConditions, policyBudget, runExpressions } from "./run.js";
import { type AdmissionSubject, activate } from "./subject.js";

/** What a validation decided about a request. */
export interface Decision {
  readonly action: "admit" | "deny";
  readonly evaluation: "admit" | "deny" | "error";
  readonly message?: string;
  readonly reason?: string;
}

/** What becomes of an annotation of the request's audit event. */
export type Annotation =
  | { readonly key: string; readonly action: "publish"; readonly value: string }
  | { readonly key: string; readonly action: "exclude" | "error"; readonly error?: string };

export interface PolicyOutcome {
  /** Undefined where the policy is not about the request. */
  readonly decisions: readonly Decision[] | undefined;
  readonly annotations: readonly Annotation[];
  /** Units that the validations cost; undefined where they passed the budget. */
  readonly cost: number | undefined;
}

export interface ValidatePolicyOptions {
  readonly failurePolicy: "Fail" | "Ignore";
}

/** Holds a request against a validating policy, in the reference's words. */
export function runPolicy(
  policy: CompiledPolicy,
  subject: AdmissionSubject,
  { failurePolicy }: ValidatePolicyOptions,
): PolicyOutcome {
  const onError = failurePolicy === "Ignore" ? "admit" : "deny";
  const stopped = (message: string, cost: number | undefined): PolicyOutcome => ({
    decisions: [{ action: onError, evaluation: "error", message }],
    annotations: [],
    cost,
  });
  const match = matchConditions(policy.conditions, activate(subject, []));
  if (match.matches === false) return { decisions: undefined, annotations: [], cost: 0 };
  if (match.matches === "unknown") {
    if (failurePolicy === "Ignore") return { decisions: undefined, annotations: [], cost: 0 };
    return stopped(match.error, 0);
  }
  const { validations, variables, annotations } = policy;
  const texts = validations.map(({ expression }) => expression);
  const run = runExpressions(texts, activate(subject, variables), policyBudget);
  if (run.stopped !== undefined) return stopped(run.stopped, undefined);
  const cost = policyBudget - run.left;
  const plain = { ...subject, authorizer: undefined };
  const told = validations.map(({ message }) => message);
  const messages = runExpressions(told, activate(plain, variables), run.left).results;
  return {
    decisions: run.results.map((result, i) => {
      const source = validations[i]?.source ?? {};
      if (!result.ok) return { action: onError, evaluation: "error", message: result.error };
      if (result.value === true) return { action: "admit", evaluation: "admit" };
      const message = messageOf(source, messages[i]);
      return { action: "deny", evaluation: "deny", message, reason: source.reason ?? "Invalid" };
    }),
    annotations: annotationsOf(annotations, { subject, variables, failurePolicy }),
    cost,
  };
}

const longestMessage = 5120;

function messageOf({ message = "", expression = "" }: ValidationSource, made: Evaluated | undefined): string {
  const text = made?.ok === true && typeof made.value === "string" ? made.value.trim() : "";
  if (text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= longestMessage) return text;
  return message === "" ? `failed expression: ${expression.trim()}` : message.trim();
}

interface Around extends ValidatePolicyOptions {
  readonly subject: AdmissionSubject;
  readonly variables: CompiledPolicy["variables"];
}

function annotationsOf(
  annotations: CompiledPolicy["annotations"],
  { subject, variables, failurePolicy }: Around,
): readonly Annotation[] {
  const texts = annotations.map(({ value }) => value);
  const { results } = runExpressions(texts, activate(subject, variables), policyBudget);
  return annotations.flatMap(({ key }, i): readonly Annotation[] => {
    const result = results[i];
    if (result === undefined) return [];
    if (!result.ok) return [{ key, action: failurePolicy === "Ignore" ? "exclude" : "error", error: result.error }];
    const value = typeof result.value === "string" ? result.value.trim() : "";
    return [value === "" ? { key, action: "exclude" } : { key, action: "publish", value }];
  });
}
