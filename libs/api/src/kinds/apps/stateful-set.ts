import { validateAnnotations, validateLabels } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { defaultPodTemplate, withoutDisabledInSpec } from "../core/pod/template.js";
import { validateCounts, validateGrowing, validateNotAbove } from "../shared/counts.js";
import { amountOf, type IntOrPercent, validateIntOrPercent, validateNotAboveAll } from "../shared/int-or-percent.js";
import { isEmptySelector } from "../shared/label-selector.js";
import { isBroken, validateEndless, validateOwnSelector, validateSelected } from "../shared/pod-selection.js";
import { sameMeaning } from "../shared/same-meaning.js";
import { statefulSetWarnings } from "./stateful-set-warnings.js";
import type { ClaimTemplate, StatefulSet, StatefulSetSpec, StatefulSetStatus } from "./types.js";

export const statefulSet = behavior<StatefulSet>((naming) => ({
  warnings: statefulSetWarnings(naming),
  withoutDisabled: withoutDisabledInSpec,
  setDefaults: (object) => ({ ...object, spec: defaultSpec(object.spec ?? {}) }),
  // A field behind a gate that is off in this release.
  prepareForCreate: (object) => ({ ...object, spec: withoutMaxUnavailable(object.spec ?? {}) }),
  prepareForUpdate: (object, old) =>
    old.spec?.updateStrategy?.rollingUpdate?.maxUnavailable === undefined
      ? { ...object, spec: withoutMaxUnavailable(object.spec ?? {}) }
      : object,
  validate: ({ spec = {} }) => validateSpec(spec),
  validateUpdate: (object, old) => validateSpecUpdate(object.spec ?? {}, old.spec ?? {}),
  parts: { status: { validate: ({ status = {} }, old) => validateStatus(status, old.status ?? {}) } },
}));

function defaultSpec(spec: StatefulSetSpec): StatefulSetSpec {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  const rolling = rollingUpdate ?? (type === undefined ? {} : undefined);
  const partitioned = (type ?? "RollingUpdate") === "RollingUpdate" && rolling !== undefined;
  return {
    ...spec,
    ...(spec.template === undefined ? {} : { template: defaultPodTemplate(spec.template) }),
    updateStrategy: {
      ...spec.updateStrategy,
      type: type ?? "RollingUpdate",
      ...(partitioned ? { rollingUpdate: { partition: 0, ...rolling } } : {}),
    },
    ...(spec.volumeClaimTemplates === undefined
      ? {}
      : { volumeClaimTemplates: spec.volumeClaimTemplates.map(defaultClaim) }),
  };
}

function defaultClaim(claim: ClaimTemplate): ClaimTemplate {
  return {
    ...claim,
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    spec: { volumeMode: "Filesystem", ...claim.spec },
    status: { phase: "Pending", ...claim.status },
  };
}

function withoutMaxUnavailable(spec: StatefulSetSpec): StatefulSetSpec {
  if (spec.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) return spec;
  const { maxUnavailable: _dropped, ...rollingUpdate } = spec.updateStrategy.rollingUpdate;
  return { ...spec, updateStrategy: { ...spec.updateStrategy, rollingUpdate } };
}

function validateSpec(spec: StatefulSetSpec): FieldError[] {
  const { podManagementPolicy = "", selector } = spec;
  const policies = ["OrderedReady", "Parallel"];
  return [
    ...(policies.includes(podManagementPolicy)
      ? []
      : [fieldError.invalid("spec.podManagementPolicy", podManagementPolicy, "must be 'OrderedReady' or 'Parallel'")]),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}, "spec.updateStrategy"),
    ...validateRetention(spec.persistentVolumeClaimRetentionPolicy ?? {}, "spec.persistentVolumeClaimRetentionPolicy"),
    ...validateOwnSelector(selector, "statefulset", "spec.selector"),
    ...(isBroken(selector) ? [fieldError.invalid("spec.selector", selector, "")] : validateTemplate(spec)),
    ...validateEndless(spec.template ?? {}, "StatefulSet", "spec.template"),
  ];
}

/** Mounts of claim templates are not among the pod's volumes: the template's spec is left to the pods. */
function validateTemplate(spec: StatefulSetSpec): FieldError[] {
  const { metadata = {} } = spec.template ?? {};
  return [
    ...(spec.selector !== undefined && isEmptySelector(spec.selector) ? [] : validateSelected(spec, "spec")),
    ...validateLabels(metadata.labels, "spec.template.labels"),
    ...validateAnnotations(metadata.annotations, "spec.template.annotations"),
  ];
}

function validateUpdateStrategy(strategy: NonNullable<StatefulSetSpec["updateStrategy"]>, at: string): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const place = `${at}.rollingUpdate`;
  switch (type) {
    case "OnDelete":
      return rollingUpdate === undefined
        ? []
        : [fieldError.invalid(place, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")];
    case "RollingUpdate":
      return rollingUpdate?.maxUnavailable === undefined
        ? []
        : validateMaxUnavailable(rollingUpdate.maxUnavailable, `${place}.maxUnavailable`);
    default:
      return [fieldError.invalid(at, strategy, "must be 'RollingUpdate' or 'OnDelete'")];
  }
}

function validateMaxUnavailable(value: IntOrPercent, at: string): FieldError[] {
  return [
    ...validateIntOrPercent(value, at),
    ...(amountOf(value) === 0 ? [fieldError.invalid(at, value, "cannot be 0")] : []),
    ...validateNotAboveAll(value, at),
  ];
}

function validateRetention(
  policy: NonNullable<StatefulSetSpec["persistentVolumeClaimRetentionPolicy"]>,
  at: string,
): FieldError[] {
  const known = ["Retain", "Delete"];
  return (["whenDeleted", "whenScaled"] as const).flatMap((name) => {
    const value = policy[name] ?? "Retain";
    return known.includes(value) ? [] : [fieldError.notSupported(`${at}.${name}`, value, known)];
  });
}

function validateSpecUpdate(spec: StatefulSetSpec, old: StatefulSetSpec): FieldError[] {
  return sameMeaning(frozen(spec), frozen(old))
    ? []
    : [
        fieldError.forbidden(
          "spec",
          "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        ),
      ];
}

/** What of a spec stays as it was created. */
function frozen(spec: StatefulSetSpec): object {
  const {
    replicas: _replicas,
    ordinals: _ordinals,
    template: _template,
    updateStrategy: _strategy,
    persistentVolumeClaimRetentionPolicy: _retention,
    minReadySeconds: _ready,
    ...rest
  } = spec;
  return rest;
}

function validateStatus(status: StatefulSetStatus, old: StatefulSetStatus): FieldError[] {
  const at = "status";
  const parts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"] as const;
  return [
    ...validateCounts(status, ["replicas", ...parts, "observedGeneration", "collisionCount"], at),
    ...validateNotAbove(status, parts, { of: "replicas", detail: "cannot be greater than status.replicas", at }),
    ...validateNotAbove(status, ["availableReplicas"], {
      of: "readyReplicas",
      detail: "cannot be greater than status.readyReplicas",
      at,
    }),
    ...validateGrowing(status, old, { name: "collisionCount", at }),
  ];
}
