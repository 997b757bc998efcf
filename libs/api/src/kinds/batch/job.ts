import type { Naming } from "@orch/naming/naming.js";
import { dnsLabel } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { defaultPodTemplate, withoutDisabledInSpec } from "../core/pod/template.js";
import { validateLabelSelector } from "../shared/label-selector.js";
import { validateSelected } from "../shared/pod-selection.js";
import { jobLabels } from "./job-labels.js";
import { validateSelector, withSelector } from "./job-selector.js";
import { validateJobSpec } from "./job-spec.js";
import { validateJobStatus } from "./job-status.js";
import { validateJobUpdate } from "./job-update.js";
import type { Job, JobSpec, PodFailurePolicy } from "./types.js";
import { jobWarnings } from "./warnings.js";

export const job = behavior<Job>((naming) => {
  const keys = jobLabels(naming);
  return {
    warnings: jobWarnings(naming),
    withoutDisabled: withoutDisabledInSpec,
    setDefaults,
    // Who reads the object defaults it, too: by then its pods have the generated labels.
    prepareForCreate: (object) => withPodLabels(withSelector(object, keys)),
    validate: (object) => validateJob(object, naming),
    validateCreate: (object) => validateSelector(object, keys),
    validateUpdate: (object, old) => [...validateSelector(object, keys, old), ...validateJobUpdate(object, old)],
    parts: { status: { validate: (object, old) => validateJobStatus(object, old) } },
    selectableFields: ({ status = {} }) => ({ "status.successful": String(status.succeeded ?? 0) }),
  };
});

const unlimited = 2_147_483_647;

/** Not of the templates of CronJobs, which have the same type: their Jobs get these when they are made. */
function setDefaults(object: Job): Job {
  const { spec = {} } = object;
  const single = spec.completions === undefined && spec.parallelism === undefined;
  const defaulted: JobSpec = {
    parallelism: 1,
    backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : unlimited,
    completionMode: "NonIndexed",
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed",
    ...(single ? { completions: 1 } : {}),
    ...spec,
    ...(spec.podFailurePolicy === undefined ? {} : { podFailurePolicy: defaultPolicy(spec.podFailurePolicy) }),
    template: defaultPodTemplate(spec.template ?? {}),
  };
  return withPodLabels({ ...object, spec: defaulted });
}

/** A condition of a pod is true unless a rule says otherwise. */
function defaultPolicy(policy: PodFailurePolicy): PodFailurePolicy {
  if (policy.rules === undefined) return policy;
  const rules = policy.rules.map((rule) =>
    rule.onPodConditions === undefined
      ? rule
      : {
          ...rule,
          onPodConditions: rule.onPodConditions.map(({ status, ...rest }) => ({ ...rest, status: status || "True" })),
        },
  );
  return { ...policy, rules };
}

/** A Job without labels has those of its pods. */
function withPodLabels(object: Job): Job {
  const { spec = {}, metadata } = object;
  const labels = spec.template?.metadata?.labels ?? {};
  const bare = Object.keys(metadata.labels ?? {}).length === 0 && Object.keys(labels).length > 0;
  return bare ? { ...object, metadata: { ...metadata, labels } } : object;
}

function validateJob({ spec = {}, metadata }: Job, naming: Naming): FieldError[] {
  return [
    ...validateJobSpec(spec, "spec", naming),
    ...(spec.selector === undefined
      ? [fieldError.required("spec.selector")]
      : validateLabelSelector(spec.selector, "spec.selector")),
    ...validateSelected(spec, "spec"),
    ...validatePodNames(spec, metadata.name ?? ""),
  ];
}

/** The last index makes the longest name of a pod. */
function validatePodNames({ completionMode, completions = 0 }: JobSpec, name: string): FieldError[] {
  if (completionMode !== "Indexed" || completions <= 0) return [];
  const longest = `${name}-${completions - 1}`;
  return dnsLabel(longest).length === 0
    ? []
    : [fieldError.invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${longest}`)];
}
