import { fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { type Parameters, validateParameters, validateProvisioner } from "./parameters.js";
import { frozen } from "./storage-class.js";

interface VolumeAttributesClass extends ApiObject {
  readonly driverName?: string;
  readonly parameters?: Parameters;
}

export const volumeAttributesClass = behavior<VolumeAttributesClass>(() => ({
  validate: ({ driverName = "", parameters = {} }) => [
    ...validateProvisioner(driverName, "driverName"),
    ...validateParameters(parameters),
    ...(Object.keys(parameters).length === 0
      ? [fieldError.required("parameters", "must contain at least one key/value pair")]
      : []),
  ],
  validateUpdate: (object, old) => frozen(object, old, ["driverName", "parameters"]),
}));
