import type { Naming } from "@orch/naming/naming.js";
import { type ObjectMeta, validateAnnotations, validateLabels } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { Features } from "../../../features.js";
import { podAnnotationKeys } from "./annotation-keys.js";
import { validatePodAnnotations } from "./annotations.js";
import { defaultPodSpec } from "./defaults.js";
import { withoutDisabledFields } from "./dropped-fields.js";
import { validateOs } from "./os.js";
import { validatePodSpec } from "./spec.js";
import type { PodSpec } from "./types.js";

/** What a controller makes its pods of. */
export interface PodTemplate {
  readonly metadata?: Pick<ObjectMeta, "labels" | "annotations">;
  readonly spec?: PodSpec;
}

/** Defaults of a template that depend on other fields; literal ones are data. Twice is as once. */
export function defaultPodTemplate<T extends PodTemplate>(template: T): T {
  return { ...template, spec: defaultPodSpec(template.spec ?? {}) };
}

/** A template without the fields of features that are off; `old` is the stored one. */
export function withoutDisabledTemplate<T extends PodTemplate>(
  template: T,
  old: PodTemplate | undefined,
  features: Features,
): T {
  const { spec } = template;
  const kept = spec === undefined ? undefined : withoutDisabledFields(spec, old?.spec, features);
  return kept === spec ? template : { ...template, spec: kept };
}

/** {@link withoutDisabledTemplate} of an object whose spec has the template. */
export function withoutDisabledInSpec<T extends { readonly spec?: { readonly template?: PodTemplate } }>(
  object: T,
  old: T | undefined,
  features: Features,
): T {
  const template = object.spec?.template;
  if (template === undefined) return object;
  const kept = withoutDisabledTemplate(template, old?.spec?.template, features);
  return kept === template ? object : { ...object, spec: { ...object.spec, template: kept } };
}

/** Templates that nothing was wrong with: one that a change leaves as it is is not judged again. */
const sound = new WeakMap<PodTemplate, Naming>();

/**
 * Everything about a template that the walk over its type does not tell: labels, annotations and what depends on
 * several fields of its spec. Which restartPolicy a controller takes is the caller's rule.
 */
export function validatePodTemplate(
  template: PodTemplate,
  at: string,
  naming: Naming,
  found?: readonly FieldError[],
): FieldError[] {
  if (found !== undefined) return templateErrors(template, at, naming, found);
  if (sound.get(template) === naming) return [];
  const errors = templateErrors(template, at, naming);
  if (errors.length === 0) sound.set(template, naming);
  return errors;
}

function templateErrors(
  template: PodTemplate,
  at: string,
  naming: Naming,
  found?: readonly FieldError[],
): FieldError[] {
  const { metadata = {}, spec = {} } = template;
  const { annotations = {} } = metadata;
  const place = `${at}.annotations`;
  return [
    ...validateLabels(metadata.labels, `${at}.labels`),
    ...validateAnnotations(annotations, place),
    ...validatePodAnnotations(annotations, spec, { keys: podAnnotationKeys(naming), at: place }),
    ...validatePodSpec(spec, `${at}.spec`, { naming, ...(found === undefined ? {} : { found }) }),
    ...validateOs(spec, `${at}.spec`),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [fieldError.forbidden(`${at}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template")]
      : []),
  ];
}
