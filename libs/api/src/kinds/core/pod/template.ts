import { type ObjectMeta, validateAnnotations, validateLabels } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { PodAnnotationKeys } from "./annotation-keys.js";
import { validatePodAnnotations } from "./annotations.js";
import { defaultPodSpec } from "./defaults.js";
import { validatePodSpec } from "./spec.js";
import type { PodSpec } from "./types.js";

/** What a controller makes its pods of. */
export interface PodTemplateSpec {
  readonly metadata?: Pick<ObjectMeta, "labels" | "annotations">;
  readonly spec?: PodSpec;
}

/** Defaults of a template that depend on other fields; literal ones are data. Twice is as once. */
export function defaultPodTemplate<T extends PodTemplateSpec>(template: T): T {
  return { ...template, spec: defaultPodSpec(template.spec ?? {}) };
}

/**
 * Everything about a template that the walk over its type does not tell: labels, annotations and what depends on
 * several fields of its spec. Which restartPolicy a controller takes is the caller's rule. The pod's own annotations
 * are looked into where `keys` names them.
 */
export function validatePodTemplate(template: PodTemplateSpec, at: string, keys?: PodAnnotationKeys): FieldError[] {
  const { metadata = {}, spec = {} } = template;
  const { annotations = {} } = metadata;
  const place = `${at}.annotations`;
  return [
    ...validateLabels(metadata.labels, `${at}.labels`),
    ...validateAnnotations(annotations, place),
    ...(keys === undefined ? [] : validatePodAnnotations(annotations, spec, { keys, at: place })),
    ...validatePodSpec(spec, `${at}.spec`),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [fieldError.forbidden(`${at}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template")]
      : []),
  ];
}
