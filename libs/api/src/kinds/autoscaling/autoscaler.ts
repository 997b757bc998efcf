import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { withAnnotations } from "../shared/annotations.js";
import { validateCounts } from "../shared/counts.js";
import { withoutCarried } from "./carried.js";
import { validateMetrics, validateReference } from "./metric-rules.js";
import { defaultBehavior, validateBehavior } from "./scaling-behavior.js";
import type { Autoscaler, AutoscalerSpec, Metric } from "./types.js";

export const autoscaler = behavior<Autoscaler>((naming) => {
  const dropped = withoutCarried(naming);
  // What other versions carry there has its fields here.
  const own = (object: Autoscaler): Autoscaler => ({
    ...object,
    metadata: withAnnotations(object.metadata, dropped),
  });
  return {
    setDefaults: (object) => ({ ...object, spec: defaultSpec(object.spec ?? {}) }),
    prepareForCreate: own,
    prepareForUpdate: own,
    validate: ({ spec = {} }) => validateSpec(spec, naming),
    validateCreate: ({ spec = {} }) => validateLeast(spec, 1),
    validateUpdate: ({ spec = {} }, old) => validateLeast(spec, old.spec?.minReplicas === 0 ? 0 : 1),
    parts: {
      status: {
        prepare: (object, old) => {
          const { status: _status, ...rest } = old;
          const { metadata, status } = own(object);
          return { ...rest, metadata, ...(status === undefined ? {} : { status }) };
        },
        validate: ({ status = {} }) => validateCounts(status, ["currentReplicas", "desiredReplicas"], "status"),
      },
    },
  };
});

const halfBusy: Metric = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
};

function defaultSpec(spec: AutoscalerSpec): AutoscalerSpec {
  return {
    ...spec,
    metrics: (spec.metrics ?? []).length === 0 ? [halfBusy] : (spec.metrics ?? []),
    ...(spec.behavior === undefined ? {} : { behavior: defaultBehavior(spec.behavior) }),
  };
}

/** None at all is for those that had none before: scaling to zero is behind a gate that is off in this release. */
function validateLeast({ minReplicas = 1 }: AutoscalerSpec, least: number): FieldError[] {
  return minReplicas < least
    ? [fieldError.invalid("spec.minReplicas", minReplicas, `must be greater than or equal to ${least}`)]
    : [];
}

function validateSpec(spec: AutoscalerSpec, naming: Naming): FieldError[] {
  const { minReplicas = 1, maxReplicas = 0, scaleTargetRef = {}, metrics = [], behavior: scaling } = spec;
  return [
    ...(maxReplicas < 1 ? [fieldError.invalid("spec.maxReplicas", maxReplicas, "must be greater than 0")] : []),
    ...(maxReplicas < minReplicas
      ? [fieldError.invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`")]
      : []),
    ...validateReference(scaleTargetRef, "spec.scaleTargetRef"),
    ...validateMetrics(metrics, minReplicas, { at: "spec.metrics", naming }),
    ...(scaling === undefined ? [] : validateBehavior(scaling, "spec.behavior")),
  ];
}
