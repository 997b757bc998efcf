import type { Naming } from "@orch/naming/naming.js";
import { type Integer64, integer64 } from "@orch/schema/integer64.js";
import type { ObjectMeta } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { defaultPodTemplate, validatePodTemplate, withoutDisabledInSpec } from "../core/pod/template.js";
import { templateWarnings } from "../core/pod/warning/template-warnings.js";
import { numberIn, withAnnotations } from "../shared/annotations.js";
import { validateCounts, validateGrowing } from "../shared/counts.js";
import { amountOf, validateIntOrPercent, validateNotAboveAll } from "../shared/int-or-percent.js";
import {
  validateEndless,
  validateOwnSelector,
  validateSelected,
  validateSelectorKept,
} from "../shared/pod-selection.js";
import { sameMeaning } from "../shared/same-meaning.js";
import type { DaemonSet, DaemonSetSpec, DaemonSetStatus, RollingUpdate, Strategy } from "./types.js";

/** Where the hub keeps the `templateGeneration` of old versions. */
export const templateGenerationAnnotation = "deprecated.daemonset.template.generation";

function counted(metadata: ObjectMeta, generation: Integer64): ObjectMeta {
  return withAnnotations(metadata, { [templateGenerationAnnotation]: String(generation) });
}

const atLeastOne = (count: Integer64): Integer64 => (count < 1 ? 1 : count);

/** Behind the last count there is none: it stays. */
const nextOf = (count: Integer64): Integer64 => integer64(BigInt(count) + 1n) ?? count;

/**
 * The count of changes of the template, a field of old versions, stands in an annotation that the server keeps: what
 * clients say of it counts at creation only.
 */
export const daemonSet = behavior<DaemonSet>((naming) => ({
  warnings: templateWarnings(naming, { at: "spec.template", template: ({ spec }) => spec?.template, named: false }),
  withoutDisabled: withoutDisabledInSpec,
  // The count stands in what a client writes, too, whoever wrote it: so its writer owns it.
  setDefaults: (object) => ({
    ...object,
    metadata: counted(object.metadata, numberIn(object.metadata, templateGenerationAnnotation) ?? 0),
    spec: defaultSpec(object.spec ?? {}),
  }),
  prepareForCreate: (object) => ({
    ...object,
    metadata: counted(object.metadata, atLeastOne(numberIn(object.metadata, templateGenerationAnnotation) ?? 0)),
  }),
  prepareForUpdate: (object, old) => {
    const before = numberIn(old.metadata, templateGenerationAnnotation) ?? 0;
    const changed = !sameMeaning(object.spec?.template, old.spec?.template);
    return { ...object, metadata: counted(object.metadata, changed ? nextOf(before) : before) };
  },
  validate: ({ spec = {} }) => validateSpec(spec, naming),
  validateUpdate: ({ spec = {} }, old, asked) => validateSelectorKept(spec, old.spec ?? {}, { asked, at: "spec" }),
  parts: {
    status: {
      prepare: ({ metadata, status }, old) => {
        const { status: _status, ...rest } = old;
        return {
          ...rest,
          metadata: counted(metadata, numberIn(old.metadata, templateGenerationAnnotation) ?? 0),
          ...(status === undefined ? {} : { status }),
        };
      },
      validate: ({ status = {} }, old) => validateStatus(status, old.status ?? {}),
    },
  },
}));

function defaultSpec(spec: DaemonSetSpec): DaemonSetSpec {
  const { updateStrategy = {} } = spec;
  const rollingUpdate = { maxUnavailable: 1, maxSurge: 0, ...updateStrategy.rollingUpdate };
  return {
    ...spec,
    ...(spec.template === undefined ? {} : { template: defaultPodTemplate(spec.template) }),
    ...(updateStrategy.type === "RollingUpdate" ? { updateStrategy: { ...updateStrategy, rollingUpdate } } : {}),
  };
}

function validateSpec(spec: DaemonSetSpec, naming: Naming): FieldError[] {
  const { selector, template = {}, updateStrategy = {} } = spec;
  return [
    ...validateOwnSelector(selector, "daemonset", "spec.selector"),
    ...validateSelected(spec, "spec"),
    ...validatePodTemplate(template, "spec.template", naming),
    ...validateEndless(template, "DaemonSet", "spec.template"),
    ...validateStrategy(updateStrategy, "spec.updateStrategy"),
  ];
}

function validateStrategy(strategy: Strategy<RollingUpdate>, at: string): FieldError[] {
  switch (strategy.type) {
    case "OnDelete":
      return [];
    case "RollingUpdate":
      return validateRollingUpdate(strategy.rollingUpdate ?? {}, `${at}.rollingUpdate`);
    default:
      return [fieldError.notSupported(at, strategy, ["RollingUpdate", "OnDelete"])];
  }
}

function validateRollingUpdate({ maxUnavailable = 0, maxSurge = 0 }: RollingUpdate, at: string): FieldError[] {
  return [
    ...validateIntOrPercent(maxUnavailable, `${at}.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${at}.maxSurge`),
    ...validateNotAboveAll(maxUnavailable, `${at}.maxUnavailable`),
    ...validateNotAboveAll(maxSurge, `${at}.maxSurge`),
    ...validateOneOf(amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0, { maxSurge, at }),
  ];
}

function validateOneOf(
  unavailable: boolean,
  surge: boolean,
  { maxSurge, at }: { readonly maxSurge: unknown; readonly at: string },
): FieldError[] {
  if (unavailable && surge) {
    return [fieldError.invalid(`${at}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero")];
  }
  return unavailable || surge ? [] : [fieldError.required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0")];
}

function validateStatus(status: DaemonSetStatus, old: DaemonSetStatus): FieldError[] {
  return [
    ...validateCounts(
      status,
      [
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
      ],
      "status",
    ),
    ...validateGrowing(status, old, { name: "collisionCount", at: "status" }),
  ];
}
