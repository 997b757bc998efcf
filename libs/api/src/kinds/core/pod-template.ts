import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { podAnnotationKeys } from "./pod/annotation-keys.js";
import { defaultPodTemplate, type PodTemplateSpec, validatePodTemplate } from "./pod/template.js";

export interface PodTemplate extends ApiObject {
  readonly template?: PodTemplateSpec;
}

export const podTemplate = behavior<PodTemplate>((naming) => {
  const keys = podAnnotationKeys(naming);
  return {
    setDefaults: (object) => ({ ...object, template: defaultPodTemplate(object.template ?? {}) }),
    validate: ({ template = {} }) => validatePodTemplate(template, "template", keys),
  };
});
