import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { validateCounts, validateNotAbove } from "../shared/counts.js";
import { validateEndless } from "../shared/pod-selection.js";
import { defaultPodTemplate, type PodTemplate, validatePodTemplate, withoutDisabledInSpec } from "./pod/template.js";
import { templateWarnings } from "./pod/warning/template-warnings.js";

interface ReplicationController extends ApiObject {
  readonly spec?: Spec;
  readonly status?: Status;
}

interface Spec {
  readonly replicas?: number;
  readonly selector?: Readonly<Record<string, string>>;
  readonly template?: PodTemplate;
}

interface Status {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
}

export const replicationController = behavior<ReplicationController>((naming) => ({
  warnings: templateWarnings(naming, { at: "spec.template", template: ({ spec }) => spec?.template, named: true }),
  withoutDisabled: withoutDisabledInSpec,
  setDefaults,
  validate: ({ spec = {} }, found) => validateSpec(spec, naming, found),
  parts: { status: { validate: ({ status = {} }) => validateStatus(status) } },
}));

/** The template's labels are the selector and the controller's own labels where it has none. */
function setDefaults(object: ReplicationController): ReplicationController {
  const { spec = {}, metadata } = object;
  const labels = spec.template?.metadata?.labels;
  const unlabeled = Object.keys(metadata.labels ?? {}).length === 0;
  const unselective = Object.keys(spec.selector ?? {}).length === 0;
  return {
    ...object,
    metadata: labels !== undefined && unlabeled ? { ...metadata, labels } : metadata,
    spec: {
      ...spec,
      replicas: spec.replicas ?? 1,
      ...(labels !== undefined && unselective ? { selector: labels } : {}),
      ...(spec.template === undefined ? {} : { template: defaultPodTemplate(spec.template) }),
    },
  };
}

/** Keys and values are compared, whatever their form. */
function isSelected(selector: Readonly<Record<string, string>>, { metadata }: PodTemplate): boolean {
  return Object.entries(selector).every(([key, value]) => metadata?.labels?.[key] === value);
}

function unselected({ metadata }: PodTemplate): FieldError {
  const detail = "`selector` does not match template `labels`";
  return fieldError.invalid("spec.template.metadata.labels", metadata?.labels ?? null, detail);
}

function validateSpec({ selector = {}, template }: Spec, naming: Naming, found: readonly FieldError[]): FieldError[] {
  // That there is a selector and a template is told by the checks of their type.
  if (template === undefined) return [];
  return [
    ...(isSelected(selector, template) ? [] : [unselected(template)]),
    ...validatePodTemplate(template, "spec.template", naming, found),
    ...validateEndless(template, "ReplicationController", "spec.template"),
  ];
}

const counts = ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const;

function validateStatus(status: Status): FieldError[] {
  const at = "status";
  return [
    ...validateCounts(status, [...counts, "observedGeneration"], at),
    ...validateNotAbove(status, counts, { of: "replicas", detail: "cannot be greater than status.replicas", at }),
    ...validateNotAbove(status, ["availableReplicas"], {
      of: "readyReplicas",
      detail: "cannot be greater than readyReplicas",
      at,
    }),
  ];
}
