import type { PolicyOutcome } from "@orch/cel/admission/validate.js";
import type { Advice, AuditAnnotation } from "../../write/advice.js";
import type { Question } from "../matching/question.js";
import type { Binding, BoundPolicy } from "./bound-policy.js";
import { type Denial, deniedByValidation } from "./denied.js";
import type { PolicyMetrics } from "./metrics.js";

export interface VerdictDeps {
  /** With its domain: under which failed validations are noted. */
  readonly failureKey: string;
  readonly metrics: Pick<PolicyMetrics, "checked" | "evaluated">;
}

/** What validating policies say of one write, all together. */
export interface Verdict {
  /** The policy, or one of its bindings, cannot be asked. */
  misconfigured(policy: Asked, problem: string, binding?: Asked): void;
  /** What came of an evaluation that took so many seconds. */
  took(outcome: PolicyOutcome, by: Asking, seconds: number): void;
  /** After all bindings of a policy: its annotations. */
  publish(policy: Asked): void;
  /** The first denial is told, and all warnings. */
  advice(question: Question): Advice;
}

type Asked = Pick<BoundPolicy, "name" | "failsOpen"> | Pick<Binding, "name">;

interface Asking {
  readonly policy: Pick<BoundPolicy, "name">;
  readonly binding: Pick<Binding, "name" | "actions">;
}

/** Units of text of an annotation that are noted. */
const longestNote = 10 * 1024;

export function openVerdict({ failureKey, metrics }: VerdictDeps): Verdict {
  const denials: Denial[] = [];
  const warnings = new Set<string>();
  /** By their keys: what is noted first stands. */
  const notes = new Map<string, string>();
  /** Values of audit annotations by their keys: those of all bindings and parameters stand together. */
  let published = new Map<string, Set<string>>();

  const note = (key: string, value: string): void => {
    if (!notes.has(key)) notes.set(key, value);
  };
  const failed = (
    { policy, binding }: Asking,
    { message, reason = "Invalid", expressionIndex, seconds }: Failure,
  ): void => {
    const of = { policy: policy.name, binding: binding.name };
    const observed = (action: "audit" | "deny" | "warn"): void => metrics.checked({ ...of, action, message }, seconds);
    for (const action of binding.actions) {
      if (action === "Deny") {
        denials.push({ ...of, message, reason });
        observed("deny");
      }
      if (action === "Warn") {
        const by = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
        warnings.add(`Validation failed for ${by}: ${message}`);
        observed("warn");
      }
      if (action === "Audit") {
        note(failureKey, JSON.stringify([{ message, ...of, expressionIndex, validationActions: binding.actions }]));
        observed("audit");
      }
    }
  };

  return {
    misconfigured(policy, problem, binding) {
      if ("failsOpen" in policy && policy.failsOpen) return;
      const message = `failed to configure ${binding === undefined ? "policy" : "binding"}: ${problem}`;
      denials.push({ policy: policy.name, binding: binding?.name, message, reason: "Invalid" });
    },
    took({ decisions = [], annotations }, by, seconds) {
      const of = { policy: by.policy.name, binding: by.binding.name };
      for (const [expressionIndex, { action, evaluation, message = "", reason }] of decisions.entries()) {
        if (action === "deny") failed(by, { message, reason, expressionIndex, seconds });
        else if (evaluation === "error") metrics.checked({ ...of, action: "allow", message }, seconds);
      }
      for (const annotation of annotations) {
        if (annotation.action === "error") {
          const { error: message = "" } = annotation;
          denials.push({ ...of, message, reason: "Invalid" });
          metrics.checked({ ...of, action: "deny", message }, seconds);
        }
        if (annotation.action !== "publish") continue;
        const values = published.get(annotation.key) ?? new Set();
        published.set(annotation.key, values.add(annotation.value.slice(0, longestNote)));
      }
    },
    publish({ name }) {
      for (const [key, values] of published) note(`${name}/${key}`, [...values].join(", "));
      published = new Map();
    },
    advice(question) {
      const [denial] = denials;
      return {
        warnings: [...warnings],
        auditAnnotations: [...notes].map(([key, value]): AuditAnnotation => ({ key, value })),
        refusal: denial && deniedByValidation(question, denial),
      };
    },
  };
}

interface Failure {
  readonly message: string;
  readonly reason: string | undefined;
  readonly expressionIndex: number;
  readonly seconds: number;
}
