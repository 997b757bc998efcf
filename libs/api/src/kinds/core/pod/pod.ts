import { fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../../behavior.js";
import { defaultPodSpec, requestLimits } from "./defaults.js";
import { qosClass } from "./qos.js";
import { validatePodSpec } from "./spec.js";
import type { Pod, PodSpec } from "./types.js";
import { validatePodUpdate } from "./update.js";

export const pod = behavior<Pod>(() => ({
  setDefaults: (object) => {
    const spec = defaultPodSpec(object.spec ?? {});
    return {
      ...object,
      spec: {
        ...spec,
        enableServiceLinks: spec.enableServiceLinks ?? true,
        ...(spec.containers === undefined ? {} : { containers: spec.containers.map(requestLimits) }),
        ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(requestLimits) }),
      },
    };
  },
  prepareForCreate: (object) => ({ ...object, status: { ...object.status, ...firstStatus(object.spec ?? {}) } }),
  validate: (object) => validatePodSpec(object.spec ?? {}, "spec"),
  // Containers for debugging come through their own subresource, never with the pod.
  validateCreate: ({ spec }) =>
    spec?.ephemeralContainers === undefined
      ? []
      : [fieldError.forbidden("spec.ephemeralContainers", "cannot be set on create")],
  validateUpdate: (object, old) => validatePodUpdate(object.spec ?? {}, old.spec ?? {}),
}));

function firstStatus(spec: PodSpec): object {
  const gated = {
    type: "PodScheduled",
    status: "False",
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  return {
    qosClass: qosClass(spec),
    ...((spec.schedulingGates ?? []).length > 0 ? { conditions: [gated] } : {}),
  };
}
