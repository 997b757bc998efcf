import type { FieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { defaultPodTemplate, withoutDisabledInSpec } from "../core/pod/template.js";
import { templateWarnings } from "../core/pod/warning/template-warnings.js";
import { validateCounts, validateNotAbove } from "../shared/counts.js";
import { validateSelectorKept } from "../shared/pod-selection.js";
import { validateReplicaPods } from "./replica-template.js";
import type { ReplicaSet, ReplicaSetStatus } from "./types.js";

export const replicaSet = behavior<ReplicaSet>((naming) => ({
  warnings: templateWarnings(naming, { at: "spec.template", template: ({ spec }) => spec?.template, named: true }),
  withoutDisabled: withoutDisabledInSpec,
  setDefaults: (object) => ({
    ...object,
    spec: { ...object.spec, template: defaultPodTemplate(object.spec?.template ?? {}) },
  }),
  validate: ({ spec = {} }) => validateReplicaPods(spec, naming),
  validateUpdate: ({ spec = {} }, old, asked) => validateSelectorKept(spec, old.spec ?? {}, { asked, at: "spec" }),
  parts: { status: { validate: ({ status = {} }) => validateStatus(status) } },
}));

function validateStatus(status: ReplicaSetStatus): FieldError[] {
  const at = "status";
  return [
    ...validateCounts(
      status,
      ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"],
      at,
    ),
    ...validateNotAbove(status, ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"], {
      of: "replicas",
      detail: "cannot be greater than status.replicas",
      at,
    }),
    ...validateNotAbove(status, ["availableReplicas"], {
      of: "readyReplicas",
      detail: "cannot be greater than readyReplicas",
      at,
    }),
  ];
}
