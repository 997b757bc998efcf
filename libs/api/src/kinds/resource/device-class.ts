import { equalJson } from "@orch/schema/equal.js";
import type { FieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { type DeviceConfiguration, type DeviceSelector, validateConfiguration, validateSelectors } from "./devices.js";
import { maxItems, validateList } from "./lists.js";

interface DeviceClass extends ApiObject {
  readonly spec?: { readonly selectors?: readonly DeviceSelector[]; readonly config?: readonly DeviceConfiguration[] };
}

export const deviceClass = behavior<DeviceClass>(() => ({
  validateCreate: (object) => validate(object, undefined),
  validateUpdate: validate,
}));

/** Configurations that did not change are not measured again. */
function validate({ spec = {} }: DeviceClass, old: DeviceClass | undefined): FieldError[] {
  const stored = old !== undefined && equalJson(spec.config ?? [], old.spec?.config ?? []);
  return [
    ...validateSelectors(spec.selectors ?? [], "spec.selectors"),
    ...validateList(spec.config ?? [], {
      at: "spec.config",
      max: maxItems,
      each: (configuration, at) => validateConfiguration(configuration, at, stored),
    }),
  ];
}
