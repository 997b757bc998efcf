import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { defaultPodTemplate, type PodTemplate, validatePodTemplate, withoutDisabledTemplate } from "./pod/template.js";
import { templateWarnings } from "./pod/warning/template-warnings.js";

interface PodTemplateObject extends ApiObject {
  readonly template?: PodTemplate;
}

export const podTemplate = behavior<PodTemplateObject>((naming) => ({
  warnings: templateWarnings(naming, { at: "template", template: ({ template }) => template, named: false }),
  withoutDisabled: (object, old, features) => ({
    ...object,
    template: withoutDisabledTemplate(object.template ?? {}, old?.template, features),
  }),
  setDefaults: (object) => ({ ...object, template: defaultPodTemplate(object.template ?? {}) }),
  validate: ({ template = {} }, found) => validatePodTemplate(template, "template", naming, found),
}));
