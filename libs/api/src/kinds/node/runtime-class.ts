import { dnsLabel } from "@orch/schema/formats/names.js";
import { validateLabels } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { validateTolerations } from "../core/pod/scheduling.js";
import type { Toleration } from "../core/pod/types.js";
import { validateRequirements } from "../core/requirements.js";
import { type Resources, rounded } from "../core/resources.js";
import { invalidFor } from "../shared/problems.js";
import { repeatsIn } from "../shared/repeats.js";
import { deprecatedNodeLabels, nodeSelectorWarnings } from "../shared/warnings/node-labels.js";

interface RuntimeClass extends ApiObject {
  readonly handler?: string;
  readonly overhead?: { readonly podFixed?: Resources };
  readonly scheduling?: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Toleration[];
  };
}

/** That the handler cannot change is data. */
export const runtimeClass = behavior<RuntimeClass>((naming) => ({
  warnings: ({ scheduling }) =>
    nodeSelectorWarnings(scheduling?.nodeSelector, deprecatedNodeLabels(naming), () => "scheduling.nodeSelector"),
  setDefaults: (object) => {
    const fixed = object.overhead?.podFixed;
    return fixed === undefined ? object : { ...object, overhead: { ...object.overhead, podFixed: rounded(fixed) } };
  },
  validate: ({ handler = "", overhead, scheduling }) => [
    ...invalidFor("handler", handler, dnsLabel(handler)),
    ...validateRequirements({ limits: overhead?.podFixed ?? {} }, "overhead", { naming }),
    ...validateLabels(scheduling?.nodeSelector, "scheduling.nodeSelector"),
    // The reference names the field twice.
    ...validateTolerations(scheduling?.tolerations, "scheduling.tolerations.tolerations"),
    ...validateUnique(scheduling?.tolerations ?? [], "scheduling.tolerations"),
  ],
}));

/** Tolerations of one key, operator, value and effect. */
function validateUnique(tolerations: readonly Toleration[], at: string): FieldError[] {
  const keys = tolerations.map(({ key, operator, value, effect }) => JSON.stringify([key, operator, value, effect]));
  return [...repeatsIn(keys)].map((i) => fieldError.duplicate(`${at}[${i}]`, tolerations[i]));
}
