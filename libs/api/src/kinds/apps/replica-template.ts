import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validatePodTemplate } from "../core/pod/template.js";
import { isEmptySelector } from "../shared/label-selector.js";
import {
  isBroken,
  type PodSelection,
  validateEndless,
  validateOwnSelector,
  validateSelected,
} from "../shared/pod-selection.js";

/** What ReplicaSets and Deployments say of their pods; an absent selector is an error of the data. */
export function validateReplicaPods(spec: PodSelection, naming: Naming): FieldError[] {
  const { selector, template = {} } = spec;
  // The reference calls both kinds by one name here.
  const errors = validateOwnSelector(selector, "deployment", "spec.selector");
  if (isBroken(selector)) return [...errors, fieldError.invalid("spec.selector", selector, "invalid label selector")];
  return [
    ...errors,
    ...(selector !== undefined && isEmptySelector(selector) ? [] : validateSelected(spec, "spec")),
    ...validatePodTemplate(template, "spec.template", naming),
    ...validateEndless(template, "ReplicaSet", "spec.template"),
  ];
}
