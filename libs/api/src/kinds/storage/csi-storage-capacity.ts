import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { compareQuantities } from "@orch/schema/formats/quantity.js";
import { fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { type LabelSelector, validateLabelSelector } from "../shared/label-selector.js";
import { invalidFor } from "../shared/problems.js";
import { deprecatedNodeLabels, selectorWarnings } from "../shared/warnings/node-labels.js";

interface CsiStorageCapacity extends ApiObject {
  readonly nodeTopology?: LabelSelector;
  readonly storageClassName?: string;
  readonly capacity?: string;
}

/** What was asked of the driver cannot change: that is data. */
export const csiStorageCapacity = behavior<CsiStorageCapacity>((naming) => ({
  warnings: ({ nodeTopology }) => selectorWarnings(nodeTopology, "nodeTopology", deprecatedNodeLabels(naming)),
  validate: (object) => [
    ...validateLabelSelector(object.nodeTopology, "nodeTopology"),
    ...invalidFor("storageClassName", object.storageClassName ?? "", dnsSubdomain(object.storageClassName ?? "")),
    ...(compareQuantities(object.capacity ?? "0", "0") < 0
      ? [fieldError.invalid("capacity", object.capacity, "must be greater than or equal to 0")]
      : []),
  ],
}));
