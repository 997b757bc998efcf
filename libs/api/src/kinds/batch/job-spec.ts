import type { Naming } from "@orch/naming/naming.js";
import { domainPrefixedPath } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validatePodTemplate } from "../core/pod/template.js";
import { invalidFor } from "../shared/problems.js";
import { validateFailurePolicy } from "./pod-failure-policy.js";
import { validateSuccessPolicy } from "./success-policy.js";
import type { JobSpec } from "./types.js";

const manyCompletions = 100_000;
const managerBytes = 63;

/** What Jobs and the templates of CronJobs obey, beyond their data. */
export function validateJobSpec(spec: JobSpec, at: string, naming: Naming): FieldError[] {
  const { podFailurePolicy, managedBy, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const { completionMode: mode = "NonIndexed" } = spec;
  const indexed = mode === "Indexed";
  return [
    ...(maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined
      ? [fieldError.required(`${at}.backoffLimitPerIndex`, "when maxFailedIndexes is specified")]
      : []),
    ...(managedBy === undefined ? [] : validateManager(managedBy, `${at}.managedBy`)),
    ...(indexed ? validateIndexed(spec, at) : []),
    ...(mode === "NonIndexed" ? onlyIndexed(spec, ["backoffLimitPerIndex", "maxFailedIndexes"], at) : []),
    ...(podFailurePolicy === undefined ? [] : validateFailurePolicy(spec, podFailurePolicy, `${at}.podFailurePolicy`)),
    ...(indexed ? validateSuccess(spec, `${at}.successPolicy`) : onlyIndexed(spec, ["successPolicy"], at)),
    ...validateReplacement(spec, `${at}.podReplacementPolicy`),
    ...validatePodTemplate(spec.template ?? {}, `${at}.template`, naming),
    ...validateRestart(spec, `${at}.template.spec.restartPolicy`),
  ];
}

function validateManager(managedBy: string, at: string): FieldError[] {
  if (managedBy === "") return [fieldError.required(at)];
  const long = Buffer.byteLength(managedBy) > managerBytes;
  return [
    ...invalidFor(at, managedBy, domainPrefixedPath(managedBy)),
    ...(long ? [fieldError.tooLong(at, managerBytes)] : []),
  ];
}

/** A number that is at most `max`. */
interface Limit {
  readonly name: "parallelism" | "maxFailedIndexes";
  readonly max: number;
  readonly detail: string;
}

function validateIndexed(spec: JobSpec, at: string): FieldError[] {
  const { completions, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const huge = (completions ?? 0) > manyCompletions && backoffLimitPerIndex !== undefined;
  const with10000 = `must be less than or equal to 10000 when completions are above ${manyCompletions} and used with backoff limit per index`;
  const limits: readonly Limit[] = [
    {
      name: "parallelism",
      max: 100_000,
      detail: "must be less than or equal to 100000 when completion mode is Indexed",
    },
    {
      name: "maxFailedIndexes",
      max: completions ?? Number.POSITIVE_INFINITY,
      detail: "must be less than or equal to completions",
    },
    { name: "maxFailedIndexes", max: 100_000, detail: "must be less than or equal to 100000" },
    ...(huge
      ? ([
          { name: "parallelism", max: 10_000, detail: with10000 },
          { name: "maxFailedIndexes", max: 10_000, detail: with10000 },
        ] as const)
      : []),
  ];
  return [
    ...(completions === undefined ? [fieldError.required(`${at}.completions`, "when completion mode is Indexed")] : []),
    ...limits.flatMap(({ name, max, detail }) => {
      const value = spec[name];
      return value !== undefined && value > max ? [fieldError.invalid(`${at}.${name}`, value, detail)] : [];
    }),
    ...(huge && maxFailedIndexes === undefined
      ? [
          fieldError.required(
            `${at}.maxFailedIndexes`,
            `must be specified when completions is above ${manyCompletions}`,
          ),
        ]
      : []),
  ];
}

function validateSuccess({ successPolicy, completions = 0 }: JobSpec, at: string): FieldError[] {
  return successPolicy === undefined ? [] : validateSuccessPolicy(successPolicy, completions, at);
}

function onlyIndexed(
  spec: JobSpec,
  names: readonly ("backoffLimitPerIndex" | "maxFailedIndexes" | "successPolicy")[],
  at: string,
): FieldError[] {
  return names.flatMap((name) =>
    spec[name] === undefined
      ? []
      : [fieldError.invalid(`${at}.${name}`, spec[name], "requires indexed completion mode")],
  );
}

function validateReplacement({ podReplacementPolicy: policy, podFailurePolicy }: JobSpec, at: string): FieldError[] {
  const known = podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  return policy === undefined || known.includes(policy) ? [] : [fieldError.notSupported(at, policy, known)];
}

function validateRestart({ template, podFailurePolicy }: JobSpec, at: string): FieldError[] {
  const { restartPolicy = "" } = template?.spec ?? {};
  if (restartPolicy === "Always" || restartPolicy === "") {
    return [fieldError.required(at, 'valid values: "OnFailure", "Never"')];
  }
  if (restartPolicy !== "OnFailure" && restartPolicy !== "Never") {
    return [fieldError.notSupported(at, restartPolicy, ["OnFailure", "Never"])];
  }
  return podFailurePolicy !== undefined && restartPolicy !== "Never"
    ? [fieldError.invalid(at, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}
