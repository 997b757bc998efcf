import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { defaultPodTemplate, type PodTemplate, validatePodTemplate } from "./pod/template.js";
import { templateWarnings } from "./pod/warning/template-warnings.js";

interface PodTemplateObject extends ApiObject {
  readonly template?: PodTemplate;
}

export const podTemplate = behavior<PodTemplateObject>((naming) => ({
  warnings: templateWarnings(naming, { at: "template", template: ({ template }) => template, named: false }),
  setDefaults: (object) => ({ ...object, template: defaultPodTemplate(object.template ?? {}) }),
  validate: ({ template = {} }) => validatePodTemplate(template, "template", naming),
}));
