import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { defaultPodTemplate, type PodTemplate, validatePodTemplate } from "./pod/template.js";

interface PodTemplateObject extends ApiObject {
  readonly template?: PodTemplate;
}

export const podTemplate = behavior<PodTemplateObject>((naming) => ({
  setDefaults: (object) => ({ ...object, template: defaultPodTemplate(object.template ?? {}) }),
  validate: ({ template = {} }) => validatePodTemplate(template, "template", naming),
}));
