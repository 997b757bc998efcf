import type { Metrics } from "@orch/runtime/metrics.js";

/** What came of a validation. */
export interface Checked {
  readonly policy: string;
  readonly binding: string;
  readonly action: "allow" | "audit" | "deny" | "warn";
  readonly message: string;
}

/** What came of a mutating policy. */
export interface MutationChecked {
  readonly policy: string;
  readonly binding: string;
  /** Why it failed; undefined where it did what it says, if only nothing. */
  readonly error: string | undefined;
}

/** What is told of policies, as the reference names it. */
export interface PolicyMetrics {
  checked(check: Checked, seconds: number): void;
  mutated(check: MutationChecked, seconds: number): void;
  /** The expressions of a policy were compiled. */
  compiled(seconds: number): void;
  /** Those of a policy were evaluated for a write. */
  evaluated(seconds: number): void;
}

/** Of whoever keeps no metrics. */
export const noPolicyMetrics: PolicyMetrics = { checked() {}, mutated() {}, compiled() {}, evaluated() {} };

const expressionSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const buckets = [0.0000005, 0.001, 0.01, 0.1, 1];
/** Names are of objects that administrators write; there are as many series as they have policies, and then no more. */
const mostNames = 1000;

export function createPolicyMetrics(metrics: Metrics): PolicyMetrics {
  return { ...validatingMetrics(metrics), ...mutatingMetrics(metrics) };
}

function mutatingMetrics(metrics: Metrics): Pick<PolicyMetrics, "mutated"> {
  const [policies, bindings] = [bounded(), bounded()];
  const labels = ["policy", "policy_binding", "error_type"] as const;
  const total = metrics.counter({
    name: "apiserver_mutating_admission_policy_check_total",
    help: "Uses of mutating policies by policy, binding and kind of error.",
    stability: "ALPHA",
    labels,
  });
  const duration = metrics.histogram({
    name: "apiserver_mutating_admission_policy_check_duration_seconds",
    help: "Time of the mutations of a policy, by policy, binding and kind of error.",
    stability: "ALPHA",
    labels,
    buckets,
  });
  return {
    mutated({ policy, binding, error }, seconds) {
      const of = {
        policy: policies(policy),
        policy_binding: bindings(binding),
        error_type: error === undefined ? "no_error" : errorType(error),
      };
      total.with(of).inc();
      duration.with(of).observe(seconds);
    },
  };
}

function validatingMetrics(metrics: Metrics): Omit<PolicyMetrics, "mutated"> {
  const [policies, bindings] = [bounded(), bounded()];
  const labels = ["policy", "policy_binding", "error_type", "enforcement_action"] as const;
  const total = metrics.counter({
    name: "apiserver_validating_admission_policy_check_total",
    help: "Validations that did not simply hold, by policy, binding, kind of error and what was done.",
    stability: "BETA",
    labels,
  });
  const duration = metrics.histogram({
    name: "apiserver_validating_admission_policy_check_duration_seconds",
    help: "Time of the evaluation of a policy, by policy, binding, kind of error and what was done.",
    stability: "BETA",
    labels,
    buckets,
  });
  const spec = { stability: "BETA", labels: [], buckets: expressionSeconds } as const;
  const compilation = metrics.histogram({
    ...{ ...spec, name: "apiserver_cel_compilation_duration_seconds" },
    help: "Time of compiling the expressions of a policy.",
  });
  const evaluation = metrics.histogram({
    ...{ ...spec, name: "apiserver_cel_evaluation_duration_seconds" },
    help: "Time of evaluating the expressions of a policy for a write.",
  });
  const [compiling, evaluating] = [compilation.with({}), evaluation.with({})];
  return {
    compiled: (seconds) => compiling.observe(seconds),
    evaluated: (seconds) => evaluating.observe(seconds),
    checked({ policy, binding, action, message }, seconds) {
      const of = {
        policy: policies(policy),
        policy_binding: bindings(binding),
        error_type: errorType(message),
        enforcement_action: action,
      };
      total.with(of).inc();
      duration.with(of).observe(seconds);
    },
  };
}

function bounded(): (name: string) => string {
  const names = new Set<string>();
  return (name) => {
    if (names.has(name)) return name;
    if (names.size >= mostNames) return "other";
    names.add(name);
    return name;
  };
}

/** The reference goes by the message, and counts a validation that is not met as an invalid one. */
function errorType(message: string): string {
  if (message.startsWith("compilation")) return "compile_error";
  return message.includes("running out of cost budget") ? "out_of_budget" : "invalid_error";
}
