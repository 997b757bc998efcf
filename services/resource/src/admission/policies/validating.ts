import type { Kind } from "@orch/api/catalog.js";
import { type PolicyOutcome, runPolicy } from "@orch/cel/admission/validate.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Step } from "../../explain/explaining.js";
import type { Advice } from "../../write/advice.js";
import type { Concerned } from "../matching/by-resource.js";
import type { Question, Shown } from "../matching/question.js";
import type { Binding, BoundPolicy } from "./bound-policy.js";
import { bindingsFor, type Case, type CaseDeps, checkParamKind, isBound, openCase, problemOf } from "./case.js";
import { ConfigurationError } from "./params.js";
import { openVerdict, type Verdict, type VerdictDeps } from "./verdict.js";

export interface ValidatingDeps extends CaseDeps, VerdictDeps {
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** Holds a write against policies: the first denial in their order is told, and all warnings. */
export async function validateByPolicies(
  concerned: readonly Concerned<BoundPolicy>[],
  question: Question,
  deps: ValidatingDeps,
): Promise<Advice> {
  const one = openCase(question, deps);
  const verdict = openVerdict(deps);
  for (const policy of concerned) {
    const matching = one.matches(policy.one.matcher, policy.match);
    // Of a thousand policies nearly all answer at once.
    if (matching === true || (matching !== false && (await matching))) await judge(policy, one, { verdict, deps });
  }
  return verdict.advice(question);
}

interface Judging {
  readonly verdict: Verdict;
  readonly deps: ValidatingDeps;
}

async function judge(concerned: Concerned<BoundPolicy>, one: Case, judging: Judging): Promise<void> {
  const { one: policy } = concerned;
  const { verdict, deps } = judging;
  try {
    checkParamKind(policy, one.question, deps.params);
  } catch (thrown) {
    const problem = problemOf(thrown);
    one.question.write.explaining?.asked(misconfigured(policy, problem));
    verdict.misconfigured(policy, problem);
    return;
  }
  for (const bound of bindingsFor(concerned, one.question)) {
    const isAbout = isBound(bound, one);
    if (isAbout === false || (isAbout !== true && !(await isAbout))) continue;
    try {
      await evaluate(concerned, bound.binding, { one, ...judging });
    } catch (thrown) {
      const problem = problemOf(thrown);
      one.question.write.explaining?.asked(misconfigured(policy, problem, bound.binding));
      verdict.misconfigured(policy, problem, bound.binding);
    }
  }
  verdict.publish(policy);
}

/** Once for each parameter. @throws ConfigurationError */
async function evaluate(
  { one: policy, match }: Concerned<BoundPolicy>,
  binding: Binding,
  { one, verdict, deps }: Judging & { readonly one: Case },
): Promise<void> {
  const { explaining } = one.question.write;
  const params = await one.params(policy, binding);
  if (params.length === 0) return;
  const shown = await shownAs(one, match.kind);
  const failurePolicy = policy.failsOpen ? "Ignore" : "Fail";
  for (const param of params) {
    const subject = await one.subject(shown, param);
    const since = deps.now();
    const outcome = await one.asking.asker.answered(() => runPolicy(policy.compiled(), subject, { failurePolicy }));
    const took = (deps.now() - since) / 1000;
    deps.metrics.evaluated(took);
    explaining?.asked(judgedBy(policy, binding, outcome));
    verdict.took(outcome, { policy, binding }, took);
  }
}

function misconfigured({ name, failsOpen }: BoundPolicy, message: string, binding?: Binding): Step {
  return {
    by: { type: "policy", name, binding: binding?.name },
    outcome: failsOpen ? "failedOpen" : "failed",
    message,
  };
}

/** What an explanation says of one evaluation. */
function judgedBy({ name }: BoundPolicy, binding: Binding, { decisions = [] }: PolicyOutcome): Step {
  const by = { type: "policy", name, binding: binding.name } as const;
  const denials = decisions.filter(({ action }) => action === "deny");
  if (denials.length === 0) return { by, outcome: "allowed" };
  const message = denials.map(({ message = "" }) => message).join("; ");
  const outcome = binding.actions.includes("Deny") ? "denied" : binding.actions.includes("Warn") ? "warned" : "audited";
  return { by, outcome, message };
}

/** A version that cannot be made is the policy's trouble. @throws ConfigurationError */
async function shownAs(one: Case, kind: Kind): Promise<Shown> {
  try {
    return await one.shown(kind);
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    throw new ConfigurationError(`failed to convert object version: ${thrown.message}`);
  }
}
