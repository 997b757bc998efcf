import { compilePolicy } from "@orch/cel/admission/policy.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Mirror, MirrorDeps } from "../../mirror.js";
import { note } from "../../write/audit-notes.js";
import { surfaceOf } from "../../write/surface.js";
import type { Write } from "../../write/write.js";
import type { AdmissionPlugin, Mutator } from "../admission.js";
import type { Concerned } from "../matching/by-resource.js";
import { exemptFromPolicies } from "../matching/exempt.js";
import { type Operation, operationOf, questionOf } from "../matching/question.js";
import type { BoundPolicy } from "./bound-policy.js";
import type { CaseDeps } from "./case.js";
import { followPolicies } from "./follow-policies.js";
import type { PolicyMetrics } from "./metrics.js";
import { type MutatingDeps, mutateByPolicies } from "./mutating.js";
import { createParamSource } from "./params.js";
import { type ValidatingDeps, validateByPolicies } from "./validating.js";

export interface PolicyDeps extends Pick<MirrorDeps, "store" | "log"> {
  readonly naming: Naming;
  readonly release: string;
  /** Of ValidatingAdmissionPolicies or of MutatingAdmissionPolicies, and of their bindings. */
  readonly policies: Mirror;
  readonly bindings: Mirror;
  readonly namespaces: Mirror;
  readonly metrics: PolicyMetrics;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** Lets policies refuse what is written. */
export function validatingPolicies(deps: PolicyDeps): { readonly plugin: AdmissionPlugin; readonly stop: () => void } {
  const { concerned, caseDeps, stop } = policiesOf(deps);
  const judging: ValidatingDeps = {
    ...caseDeps,
    ...{ metrics: deps.metrics, now: deps.now },
    failureKey: `validation.policy.admission.${deps.naming.auditKey("validation_failure")}`,
  };
  return {
    stop,
    plugin: {
      name: "ValidatingAdmissionPolicy",
      connects: true,
      handles: () => true,
      asks: (write, operation) => concerned(write, operation).length > 0,
      validate({ write, object, old }) {
        const { show } = surfaceOf(write);
        const states = { object: show(object), old: old === undefined ? undefined : show(old) };
        const policies = concerned(write, operationOf(write, { object, old }));
        if (policies.length === 0) return undefined;
        return validateByPolicies(policies, questionOf(write, states), judging);
      },
      async validateDelete(write, old) {
        const policies = concerned(write, "DELETE");
        if (policies.length === 0) return undefined;
        const question = questionOf(write, { object: undefined, old: surfaceOf(write).show(old) });
        const advice = await validateByPolicies(policies, question, judging);
        note(write, advice.auditAnnotations ?? []);
        if (advice.refusal !== undefined) throw advice.refusal.withWarnings(advice.warnings ?? []);
        return advice;
      },
    },
  };
}

/** Lets policies change what is written. */
export function mutatingPolicies(deps: PolicyDeps): { readonly mutator: Mutator; readonly stop: () => void } {
  const { concerned, caseDeps, stop } = policiesOf(deps);
  const mutating: MutatingDeps = { ...caseDeps, metrics: deps.metrics, now: deps.now };
  return {
    stop,
    mutator: {
      asks: (write, operation) => operation !== "DELETE" && concerned(write, operation).length > 0,
      mutate: (state) => mutateByPolicies(concerned(state.write, operationOf(state.write, state)), state, mutating),
    },
  };
}

interface Concerning {
  readonly concerned: (write: Write, operation: Operation) => readonly Concerned<BoundPolicy>[];
  readonly caseDeps: CaseDeps;
  readonly stop: () => void;
}

const nobody: readonly Concerned<BoundPolicy>[] = [];

function policiesOf(deps: PolicyDeps): Concerning {
  const { naming, release, namespaces, pause } = deps;
  const { dialect } = naming;
  const params = createParamSource(deps);
  const policies = followPolicies({
    ...deps,
    // What is stored was looked at when it was written, perhaps by another release.
    compile(spec) {
      const since = deps.now();
      const compiled = compilePolicy(spec, { dialect, release, isStored: () => true, variables: true });
      deps.metrics.compiled((deps.now() - since) / 1000);
      return compiled;
    },
  });
  const isExempt = exemptFromPolicies(naming);
  let before = policies();
  return {
    concerned(write, operation) {
      const now = policies();
      if (now !== before) {
        before = now;
        params.follow(
          now.all.flatMap(({ paramKind }) => paramKind ?? []),
          write.deps.catalog,
        );
      }
      return isExempt(write, operation) ? nobody : now.byResource.of(write, operation);
    },
    caseDeps: { namespaces, params, pause },
    stop: params.stop,
  };
}
