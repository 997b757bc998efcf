import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { defaultPodTemplate, withoutDisabledInSpec } from "../core/pod/template.js";
import { templateWarnings } from "../core/pod/warning/template-warnings.js";
import { validateCounts, validateGrowing, validateNotAbove } from "../shared/counts.js";
import { amountOf, validateIntOrPercent, validateNotAboveAll } from "../shared/int-or-percent.js";
import { validateSelectorKept } from "../shared/pod-selection.js";
import { validateReplicaPods } from "./replica-template.js";
import { rollbackAnnotation } from "./rollback.js";
import type { Deployment, DeploymentSpec, DeploymentStatus, RollingUpdate, Strategy } from "./types.js";

export const deployment = behavior<Deployment>((naming) => ({
  warnings: templateWarnings(naming, { at: "spec.template", template: ({ spec }) => spec?.template, named: true }),
  withoutDisabled: withoutDisabledInSpec,
  setDefaults: (object) => ({ ...object, spec: defaultSpec(object.spec ?? {}) }),
  validate: ({ spec = {}, metadata }) => [
    ...validateSpec(spec, naming),
    ...validateRollbackTo(metadata.annotations?.[rollbackAnnotation]),
  ],
  validateUpdate: ({ spec = {} }, old, asked) => validateSelectorKept(spec, old.spec ?? {}, { asked, at: "spec" }),
  parts: {
    status: {
      resets: ["spec", "metadata.labels"],
      prepare: ({ metadata, status }, old) => {
        const { labels: _labels, ...meta } = metadata;
        const { labels } = old.metadata;
        const { status: _status, ...rest } = old;
        return {
          ...rest,
          metadata: { ...meta, ...(labels === undefined ? {} : { labels }) },
          ...(status === undefined ? {} : { status }),
        };
      },
      validate: ({ status = {} }, old) => validateStatus(status, old.status ?? {}),
    },
  },
}));

const share = "25%";

function defaultSpec(spec: DeploymentSpec): DeploymentSpec {
  const { strategy = {} } = spec;
  const rollingUpdate = { maxUnavailable: share, maxSurge: share, ...strategy.rollingUpdate };
  return {
    ...spec,
    ...(spec.template === undefined ? {} : { template: defaultPodTemplate(spec.template) }),
    ...(strategy.type === "RollingUpdate" ? { strategy: { ...strategy, rollingUpdate } } : {}),
  };
}

function validateSpec(spec: DeploymentSpec, naming: Naming): FieldError[] {
  const { strategy = {}, progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  return [
    ...validateReplicaPods(spec, naming),
    ...validateStrategy(strategy, "spec.strategy"),
    ...(deadline !== undefined && deadline <= minReadySeconds
      ? [fieldError.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")]
      : []),
  ];
}

function validateStrategy(strategy: Strategy<RollingUpdate>, at: string): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const place = `${at}.rollingUpdate`;
  if (type === "RollingUpdate") return validateRollingUpdate(rollingUpdate ?? {}, place);
  if (type !== "Recreate") return [fieldError.notSupported(at, strategy, ["Recreate", "RollingUpdate"])];
  return rollingUpdate === undefined
    ? []
    : [fieldError.forbidden(place, "may not be specified when strategy `type` is 'Recreate'")];
}

function validateRollingUpdate({ maxUnavailable = 0, maxSurge = 0 }: RollingUpdate, at: string): FieldError[] {
  const stuck = amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0;
  return [
    ...validateIntOrPercent(maxUnavailable, `${at}.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${at}.maxSurge`),
    ...(stuck ? [fieldError.invalid(`${at}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0")] : []),
    ...validateNotAboveAll(maxUnavailable, `${at}.maxUnavailable`),
  ];
}

/** What stands in the annotation is a revision: a whole number. */
function validateRollbackTo(revision: string | undefined): FieldError[] {
  if (revision === undefined) return [];
  return Number(revision) < 0
    ? [fieldError.invalid("spec.rollback.version", Number(revision), "must be greater than or equal to 0")]
    : [];
}

function validateStatus(status: DeploymentStatus, old: DeploymentStatus): FieldError[] {
  const at = "status";
  return [
    ...validateCounts(
      status,
      [
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "collisionCount",
      ],
      at,
    ),
    ...validateNotAbove(status, ["updatedReplicas", "readyReplicas", "availableReplicas"], {
      of: "replicas",
      detail: "cannot be greater than status.replicas",
      at,
    }),
    ...validateNotAbove(status, ["availableReplicas"], {
      of: "readyReplicas",
      detail: "cannot be greater than readyReplicas",
      at,
    }),
    ...validateGrowing(status, old, { name: "collisionCount", at }),
  ];
}
