import { isObject } from "@orch/schema/descriptor.js";
import { fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";

interface ControllerRevision extends ApiObject {
  readonly data?: unknown;
}

export const controllerRevision = behavior<ControllerRevision>(() => ({
  validateCreate: ({ data }) => {
    if (data === undefined || data === null) return [fieldError.required("data", "data is mandatory")];
    return isObject(data) ? [] : [fieldError.required("data", "data must be a valid JSON object")];
  },
}));
