import type { Naming } from "@orch/naming/naming.js";
import { equalJson } from "@orch/schema/equal.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { immutable } from "../shared/problems.js";
import type { NodeSelectorTerm } from "./node-selector.js";
import { defaultVolumeSpec, sourceOf, type VolumeSpec, validateVolumeSpec } from "./volume-spec.js";
import { persistentVolumeWarnings } from "./volume-warnings.js";

interface PersistentVolume extends ApiObject {
  readonly spec?: VolumeSpec;
  readonly status?: { readonly phase?: string; readonly lastPhaseTransitionTime?: string };
}

export const persistentVolume = behavior<PersistentVolume>((naming) => {
  const renamed = labelRenames(naming);
  return {
    warnings: (object) => persistentVolumeWarnings(object, naming),
    setDefaults: (object) => {
      const { spec = {} } = object;
      const { persistentVolumeReclaimPolicy = "Retain", volumeMode = "Filesystem" } = spec;
      return { ...object, spec: { ...defaultVolumeSpec(spec), persistentVolumeReclaimPolicy, volumeMode } };
    },
    withoutDisabled: (object, old, features) => {
      const { volumeAttributesClassName: name, ...spec } = object.spec ?? {};
      const keeps = features.has("VolumeAttributesClass") || old?.spec?.volumeAttributesClassName !== undefined;
      return name === undefined || keeps ? object : { ...object, spec };
    },
    prepareForCreate: (object, { now }) => ({
      ...object,
      status: { ...object.status, lastPhaseTransitionTime: now },
    }),
    validate: ({ spec = {}, metadata }) => validateVolumeSpec(spec, metadata.name ?? "", naming),
    validateUpdate: ({ spec = {} }, { spec: old = {} }) => validateUpdate(spec, old, renamed),
    parts: {
      status: {
        prepare: (object, old, { now }) => ({ ...old, metadata: object.metadata, ...statusOf(object, old, now) }),
      },
    },
  };
});

/** When the phase changes and the writer does not say when, it was now. */
function statusOf({ status }: PersistentVolume, { status: old }: PersistentVolume, now: string) {
  const given = status?.lastPhaseTransitionTime;
  const before = old?.lastPhaseTransitionTime;
  const moved = (status?.phase ?? "Pending") !== old?.phase;
  const time = moved && (given === undefined || given === before) ? now : (given ?? before);
  return {
    status: { ...(status ?? { phase: "Pending" }), ...(time === undefined ? {} : { lastPhaseTransitionTime: time }) },
  };
}

function validateUpdate(spec: VolumeSpec, old: VolumeSpec, renamed: ReadonlyMap<string, string>): FieldError[] {
  const errors: FieldError[] = [];
  if (!equalJson(sourceOf(withSecretOf(spec, old)), sourceOf(old))) {
    const detail = "spec.persistentvolumesource is immutable after creation";
    errors.push(fieldError.forbidden("spec.persistentvolumesource", detail));
  }
  if (spec.volumeMode !== old.volumeMode) {
    errors.push(fieldError.invalid("volumeMode", spec.volumeMode ?? null, immutable));
  }
  if (old.nodeAffinity !== undefined && !sameAffinity(spec, old, renamed)) {
    const detail = `${immutable}, except for updating from beta label to GA`;
    errors.push(fieldError.invalid("nodeAffinity", spec.nodeAffinity ?? null, detail));
  }
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    const detail = "update from non-nil value to nil is forbidden";
    errors.push(fieldError.forbidden("spec.volumeAttributesClassName", detail));
  }
  return errors;
}

/** The secret for growing a volume may be set later, once: a volume made before drivers could grow has none. */
function withSecretOf(spec: VolumeSpec, old: VolumeSpec): VolumeSpec {
  if (spec.csi === undefined || old.csi === undefined || old.csi.controllerExpandSecretRef !== undefined) return spec;
  const { controllerExpandSecretRef, ...csi } = spec.csi;
  return { ...spec, csi };
}

/** Labels of nodes whose beta names an update may replace by the lasting ones. */
function labelRenames(naming: Naming): ReadonlyMap<string, string> {
  return new Map([
    [`failure-domain.beta.${naming.key("zone")}`, `topology.${naming.key("zone")}`],
    [`failure-domain.beta.${naming.key("region")}`, `topology.${naming.key("region")}`],
    [`beta.${naming.key("instance-type")}`, `node.${naming.key("instance-type")}`],
    [`beta.${naming.key("os")}`, naming.key("os")],
    [`beta.${naming.key("arch")}`, naming.key("arch")],
  ]);
}

function sameAffinity(spec: VolumeSpec, old: VolumeSpec, renamed: ReadonlyMap<string, string>): boolean {
  const { required, ...rest } = spec.nodeAffinity ?? {};
  const { required: before, ...restBefore } = old.nodeAffinity ?? {};
  const terms = required?.nodeSelectorTerms;
  const termsBefore = before?.nodeSelectorTerms;
  if (terms === undefined || termsBefore === undefined || terms.length !== termsBefore.length) {
    return equalJson(spec.nodeAffinity, old.nodeAffinity);
  }
  return (
    equalJson(rest, restBefore) &&
    terms.every((term, i) => equalJson(term, withNewNames(termsBefore[i] ?? {}, term, renamed)))
  );
}

/** The old term with the lasting label where the new term has it in the beta one's place. */
function withNewNames(old: NodeSelectorTerm, term: NodeSelectorTerm, renamed: ReadonlyMap<string, string>) {
  if (old.matchExpressions === undefined) return old;
  const matchExpressions = old.matchExpressions.map((requirement, i) => {
    const key = term.matchExpressions?.[i]?.key;
    return key !== undefined && renamed.get(requirement.key ?? "") === key ? { ...requirement, key } : requirement;
  });
  return { ...old, matchExpressions };
}
