import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { decodeObject, setDefaults } from "@orch/api/writes.js";
import { evaluateMutation } from "@orch/cel/admission/mutate.js";
import type { PolicyExpression } from "@orch/cel/admission/policy.js";
import { matchConditions } from "@orch/cel/admission/run.js";
import { activate } from "@orch/cel/admission/subject.js";
import { applyPolicyConfiguration } from "@orch/patch/apply/policy-configuration.js";
import { applyPolicyPatch } from "@orch/patch/policy-patch.js";
import { isObject } from "@orch/schema/descriptor.js";
import { equalJson } from "@orch/schema/equal.js";
import { ApiError, badRequest } from "@orch/status/api-error.js";
import { noAdvice } from "../../write/advice.js";
import { surfaceOf } from "../../write/surface.js";
import type { NewState } from "../../write/write.js";
import type { Mutated } from "../admission.js";
import { askingFor } from "../matching/asking.js";
import type { Concerned } from "../matching/by-resource.js";
import { type Question, questionOf, type Shown } from "../matching/question.js";
import { inVersion } from "../matching/versions.js";
import type { Binding, BoundPolicy } from "./bound-policy.js";
import {
  bindingsFor,
  type Case,
  type CaseDeps,
  checkParamKind,
  isBound,
  openCase,
  type Param,
  problemOf,
} from "./case.js";
import { type Denial, deniedByMutation } from "./denied.js";
import type { PolicyMetrics } from "./metrics.js";

export interface MutatingDeps extends CaseDeps {
  readonly metrics: PolicyMetrics;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** A policy with one of its bindings and one of that one's parameters. */
interface Invocation {
  readonly policy: BoundPolicy;
  readonly binding: Binding;
  readonly param: Param;
  readonly match: Concerned<BoundPolicy>["match"];
  /** Of no two. */
  readonly id: string;
}

/**
 * Lets policies change a new state, one after the other, each with what those before have made of it. Who is to be asked
 * again is asked once more where something has changed since. @throws ApiError of the first that fails
 */
export async function mutateByPolicies(
  concerned: readonly Concerned<BoundPolicy>[],
  state: NewState,
  deps: MutatingDeps,
): Promise<Mutated> {
  const { invocations, denials } = await invocationsFor(concerned, openCase(questionFor(state), deps), deps);
  const { object, asked } = await round(invocations, state, { deps, denials });
  const repeatable = invocations.filter(({ policy, id }) => policy.isReinvoked && asked.has(id));
  if (repeatable.length === 0) return { object, advice: noAdvice };
  return {
    ...{ object, advice: noAdvice },
    async again(later) {
      // What somebody else has changed concerns all of them.
      const stale = repeatable.filter(({ id }) => later.object !== object || asked.get(id) !== object);
      const { object: changed } = await round(stale, later, { deps, denials: [] });
      return { object: changed, advice: noAdvice };
    },
  };
}

function questionFor({ write, object, old }: NewState): Question {
  return questionOf(write, { object, old: old === undefined ? undefined : surfaceOf(write).show(old) });
}

interface Invocations {
  readonly invocations: readonly Invocation[];
  readonly denials: readonly Denial[];
}

/** Whom the write concerns as it comes. */
async function invocationsFor(
  concerned: readonly Concerned<BoundPolicy>[],
  one: Case,
  deps: CaseDeps,
): Promise<Invocations> {
  const invocations: Invocation[] = [];
  const denials: Denial[] = [];
  for (const { one: policy, match } of concerned) {
    if (!(await one.matches(policy.matcher, match))) continue;
    const misconfigured = (what: "policy" | "binding", problem: string, binding?: Binding): void => {
      if (policy.failsOpen) return;
      const message = `failed to configure ${what}: ${problem}`;
      denials.push({ policy: policy.name, binding: binding?.name, message, reason: "Forbidden" });
    };
    try {
      checkParamKind(policy, one.question, deps.params);
    } catch (thrown) {
      misconfigured("policy", problemOf(thrown));
      continue;
    }
    for (const bound of bindingsFor({ one: policy, match }, one.question)) {
      if (!(await isBound(bound, one))) continue;
      const { binding } = bound;
      try {
        for (const [i, param] of (await one.params(policy, binding)).entries()) {
          invocations.push({ policy, binding, param, match, id: `${policy.name}/${binding.name}/${i}` });
        }
      } catch (thrown) {
        misconfigured("binding", problemOf(thrown), binding);
      }
    }
  }
  return { invocations, denials };
}

interface Round {
  readonly object: AnyObject;
  /** What each left behind it. */
  readonly asked: ReadonlyMap<string, AnyObject>;
}

interface RoundDeps {
  readonly deps: MutatingDeps;
  readonly denials: readonly Denial[];
}

async function round(invocations: readonly Invocation[], state: NewState, about: RoundDeps): Promise<Round> {
  const denials = [...about.denials];
  const asked = new Map<string, AnyObject>();
  const asking = askingFor(questionFor(state));
  let { object } = state;
  for (const invocation of invocations) {
    const { policy, binding } = invocation;
    const open = (): Case => openCase(questionFor({ ...state, object }), about.deps, asking);
    const { metrics, now } = about.deps;
    const since = now();
    const before = object;
    let error: string | undefined;
    const failed = (message: string): void => {
      error ??= message;
      if (policy.failsOpen) return;
      denials.push({ policy: policy.name, binding: binding.name, message, reason: "Invalid" });
    };
    const { conditions, mutations } = policy.compiled();
    const condition = await holds(conditions, invocation, open());
    if (condition === false) continue;
    if (condition !== true) failed(condition.error);
    for (const mutation of condition === true ? mutations : []) {
      const made = await mutated(mutation, invocation, open());
      if (made === undefined) continue;
      if ("error" in made) failed(made.error);
      else object = setDefaults(surfaceOf(state.write).kind, made.object);
    }
    metrics.mutated({ policy: policy.name, binding: binding.name, error }, (now() - since) / 1000);
    state.write.explaining?.asked({
      by: { type: "policy", name: policy.name, binding: binding.name },
      outcome:
        error === undefined
          ? object === before
            ? "unchanged"
            : "changed"
          : policy.failsOpen
            ? "failedOpen"
            : "failed",
      ...{ message: error, before, after: object },
    });
    if (condition === true) asked.set(invocation.id, object);
  }
  const [denial] = denials;
  if (denial !== undefined) throw deniedByMutation(questionFor(state), denial);
  return { object, asked };
}

/** Whether the conditions hold of the object as it is now. */
async function holds(
  conditions: readonly PolicyExpression[],
  { match, param }: Invocation,
  one: Case,
): Promise<boolean | { readonly error: string }> {
  if (conditions.length === 0) return true;
  const subject = await one.subject(await one.shown(match.kind), param);
  const outcome = await one.asking.asker.answered(() => matchConditions(conditions, activate(subject, [])));
  return outcome.matches === "unknown" ? { error: outcome.error } : outcome.matches;
}

type Made = { readonly object: AnyObject } | { readonly error: string } | undefined;

/** What one mutation makes of the object, in the version of the question; undefined where it changes nothing. */
async function mutated(expression: PolicyExpression, { policy, match, param }: Invocation, one: Case): Promise<Made> {
  if (expression.problem !== undefined) return { error: expression.problem };
  const shown = await one.shown(match.kind);
  const subject = await one.subject(shown, param);
  const { variables } = policy.compiled();
  const mutation = await one.asking.asker.answered(() => evaluateMutation(expression, activate(subject, variables)));
  if (mutation.type === "error") return { error: mutation.error };
  const patched =
    mutation.type === "JSONPatch"
      ? applyPolicyPatch(shown.object, mutation.operations)
      : applyPolicyConfiguration(shown.kind.type, shown.object ?? {}, { ...mutation.object });
  if (!patched.ok) return { error: patched.error };
  if (equalJson(patched.document, shown.object)) return undefined;
  return asQuestioned(patched.document, shown, one.question);
}

/** The patched object in the version of the request. @throws ApiError */
async function asQuestioned(document: unknown, { kind }: Shown, question: Question): Promise<Made> {
  const { write } = question;
  if (!isObject(document)) return { error: "the patched object is no object" };
  let object: AnyObject;
  try {
    const named = { ...document, kind: kind.kind, apiVersion: kind.apiVersion };
    const own = await inVersion(write, named, { from: kind, to: question.kind });
    object = withMetadata(decodeObject(question.kind, own).object);
  } catch (thrown) {
    if (thrown instanceof ApiError) throw thrown;
    return { error: thrown instanceof Error ? thrown.message : "the patched object could not be read" };
  }
  if (write.requested.namespaced && object.metadata.namespace !== write.request.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return { object };
}
