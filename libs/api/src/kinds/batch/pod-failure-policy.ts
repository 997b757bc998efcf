import { qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { wrong } from "../shared/problems.js";
import type { JobSpec, PodFailurePolicy, PodFailureRule } from "./types.js";

const statuses = ["False", "True", "Unknown"];

/** What the pods' failures mean for their Job. */
export function validateFailurePolicy(spec: JobSpec, { rules = [] }: PodFailurePolicy, at: string): FieldError[] {
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {};
  const names = new Set([...containers, ...initContainers].map((c) => c.name));
  return rules.flatMap((rule, i) => {
    const place = `${at}.rules[${i}]`;
    return [
      ...(rule.action === "FailIndex" && spec.backoffLimitPerIndex === undefined
        ? [fieldError.invalid(`${place}.action`, rule.action, "requires the backoffLimitPerIndex to be set")]
        : []),
      ...validateExitCodes(rule.onExitCodes, names, `${place}.onExitCodes`),
      ...validateConditions(rule.onPodConditions ?? [], `${place}.onPodConditions`),
      ...validateChoice(rule, place),
    ];
  });
}

function validateChoice({ onExitCodes, onPodConditions = [] }: PodFailureRule, at: string): FieldError[] {
  const codes = onExitCodes !== undefined;
  const conditions = onPodConditions.length > 0;
  if (codes !== conditions) return [];
  return [
    wrong(
      at,
      codes
        ? "specifying both OnExitCodes and OnPodConditions is not supported"
        : "specifying one of OnExitCodes and OnPodConditions is required",
    ),
  ];
}

function validateExitCodes(
  codes: PodFailureRule["onExitCodes"],
  containers: ReadonlySet<string | undefined>,
  at: string,
): FieldError[] {
  if (codes === undefined) return [];
  const { containerName, operator, values = [] } = codes;
  const elsewhere = "must be one of the container or initContainer names in the pod template";
  const ordered = values.every((value, i) => i === 0 || (values[i - 1] ?? value) <= value);
  return [
    ...(containerName !== undefined && !containers.has(containerName)
      ? [fieldError.invalid(`${at}.containerName`, containerName, elsewhere)]
      : []),
    ...(values.length === 0 ? [fieldError.invalid(`${at}.values`, values, "at least one value is required")] : []),
    ...values.flatMap((value, i) =>
      operator === "In" && value === 0
        ? [fieldError.invalid(`${at}.values[${i}]`, value, "must not be 0 for the In operator")]
        : [],
    ),
    ...(ordered ? [] : [fieldError.invalid(`${at}.values`, values, "must be ordered")]),
  ];
}

function validateConditions(patterns: NonNullable<PodFailureRule["onPodConditions"]>, at: string): FieldError[] {
  return patterns.flatMap(({ type = "", status = "" }, i) => [
    ...qualifiedName(type).map((problem) => fieldError.invalid(`${at}[${i}].type`, type, problem)),
    ...validateStatus(status, `${at}[${i}].status`),
  ]);
}

function validateStatus(status: string, at: string): FieldError[] {
  if (status === "") return [fieldError.required(at, `valid values: ["False" "True" "Unknown"]`)];
  return statuses.includes(status) ? [] : [fieldError.notSupported(at, status, statuses)];
}
