import { equalJson } from "@orch/schema/equal.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { type Parameters, validateParameters, validateProvisioner } from "./parameters.js";
import { type TopologyTerm, validateTopologies } from "./topology.js";
import { topologyWarnings } from "./topology-warnings.js";

interface StorageClass extends ApiObject {
  readonly provisioner?: string;
  readonly parameters?: Parameters;
  readonly reclaimPolicy?: string;
  readonly allowedTopologies?: readonly TopologyTerm[];
}

const reclaimPolicies = ["Delete", "Retain"];

export const storageClass = behavior<StorageClass>((naming) => ({
  warnings: topologyWarnings(naming),
  validate: ({ provisioner = "", parameters = {}, reclaimPolicy = "", allowedTopologies = [] }) => [
    ...validateProvisioner(provisioner, "provisioner"),
    ...validateParameters(parameters),
    // Volumes know one policy more, which classes may not ask for.
    ...(reclaimPolicy === "" || reclaimPolicies.includes(reclaimPolicy)
      ? []
      : [fieldError.notSupported("reclaimPolicy", reclaimPolicy, reclaimPolicies)]),
    ...validateTopologies(allowedTopologies, "allowedTopologies"),
  ],
  validateUpdate: (object, old) => frozen(object, old, ["parameters", "provisioner", "reclaimPolicy"]),
}));

/** Fields that no update may change, told as this group tells them. */
export function frozen<T extends object>(object: T, old: T, fields: readonly (keyof T & string)[]): FieldError[] {
  return fields
    .filter((field) => !equalJson(object[field], old[field]))
    .map((field) => fieldError.forbidden(field, `updates to ${field} are forbidden.`));
}
