import type { Naming } from "@orch/naming/naming.js";
import { equalJson } from "@orch/schema/equal.js";
import { qualifiedName } from "@orch/schema/formats/names.js";
import { compareQuantities } from "@orch/schema/formats/quantity.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { type Features, noFeatures } from "../../features.js";
import type { ApiObject } from "../../object.js";
import { immutable, invalidFor } from "../shared/problems.js";
import { type ClaimSpec, defaultClaimSpec, validateClaimSpec, withBothSources } from "./claim-spec.js";
import { claimSpecWarnings, classAnnotationWarnings } from "./claim-warnings.js";
import { isNative } from "./resource-names.js";
import { type Resources, rounded } from "./resources.js";
import { wholeOf } from "./volume-spec.js";

interface Claim extends ApiObject {
  readonly spec?: ClaimSpec;
  readonly status?: {
    readonly phase?: string;
    readonly capacity?: Resources;
    readonly allocatedResources?: Resources;
    readonly allocatedResourceStatuses?: Readonly<Record<string, string>>;
    readonly currentVolumeAttributesClassName?: string;
    readonly modifyVolumeStatus?: object;
  };
}

export const persistentVolumeClaim = behavior<Claim>((naming) => ({
  *warnings(object) {
    yield* classAnnotationWarnings(object, naming);
    yield* claimSpecWarnings(object.spec ?? {}, "spec");
  },
  setDefaults: (object) => ({
    ...object,
    ...(object.spec === undefined ? {} : { spec: defaultClaimSpec(object.spec) }),
    ...roundedStatus(object),
  }),
  withoutDisabled: (object, old, features) => ({
    ...object,
    ...(object.spec === undefined ? {} : { spec: withoutDisabledSources(object.spec, old?.spec, features) }),
    ...(object.status === undefined ? {} : { status: withoutDisabledStatus(object.status, old?.status, features) }),
  }),
  prepareForCreate: (object) => ({ ...object, spec: withBothSources(object.spec ?? {}, undefined, naming) }),
  prepareForUpdate: (object, old) => ({ ...object, spec: withBothSources(object.spec ?? {}, old.spec, naming) }),
  validate: (object) => validateClaimSpec(object.spec ?? {}, "spec"),
  validateUpdate: (object, old) => validateUpdate(object, old, naming),
  parts: {
    status: {
      prepare: ({ metadata, status = { phase: "Pending" } }, old, { features = noFeatures }) => ({
        ...old,
        metadata,
        status: withoutDisabledStatus(status, old.status, features),
      }),
      validate: (object) => validateStatus(object, naming),
    },
  },
}));

/** What a claim says of a feature that is off, and did not say before. */
function withoutDisabledSources(spec: ClaimSpec, old: ClaimSpec | undefined, features: Features): ClaimSpec {
  const { dataSourceRef, volumeAttributesClassName, ...others } = spec;
  const isForeign = (dataSourceRef?.namespace ?? "") !== "";
  const keepsSource =
    !isForeign || features.has("CrossNamespaceVolumeDataSource") || old?.dataSourceRef?.namespace !== undefined;
  const keepsClass = features.has("VolumeAttributesClass") || old?.volumeAttributesClassName !== undefined;
  return {
    ...others,
    ...(dataSourceRef !== undefined && keepsSource ? { dataSourceRef } : {}),
    ...(volumeAttributesClassName !== undefined && keepsClass ? { volumeAttributesClassName } : {}),
  };
}

function withoutDisabledStatus(
  status: NonNullable<Claim["status"]>,
  old: Claim["status"],
  features: Features,
): NonNullable<Claim["status"]> {
  if (features.has("VolumeAttributesClass")) return status;
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus: change, ...others } = status;
  return {
    ...others,
    ...(current === undefined || old?.currentVolumeAttributesClassName === undefined
      ? {}
      : { currentVolumeAttributesClassName: current }),
    ...(change === undefined || old?.modifyVolumeStatus === undefined ? {} : { modifyVolumeStatus: change }),
  };
}

function roundedStatus({ status }: Claim): Pick<Claim, "status"> {
  if (status === undefined) return {};
  const { capacity, allocatedResources } = status;
  return {
    status: {
      ...status,
      ...(capacity === undefined ? {} : { capacity: rounded(capacity) }),
      ...(allocatedResources === undefined ? {} : { allocatedResources: rounded(allocatedResources) }),
    },
  };
}

/**
 * A claim is what it asked for; only its volume may be filled in once, its class once where it had none, and a bound
 * one may grow or change its attributes.
 */
function validateUpdate(object: Claim, old: Claim, naming: Naming): FieldError[] {
  const annotation = `volume.beta.${naming.key("storage-class")}`;
  const { spec = {} } = object;
  const before = withBothSources(old.spec ?? {}, old.spec, naming);
  const classMoved = isClassFromAnnotation(object, old, annotation);
  const comparable = allowed(object, old, { annotation, classMoved });
  const wanted = before.volumeName === undefined ? withVolumeOf(before, spec) : before;
  return [
    ...(classMoved ? [] : validateAnnotation(object, old, annotation)),
    ...(equalJson(comparable, wanted)
      ? []
      : [
          fieldError.forbidden(
            "spec",
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
          ),
        ]),
    ...validateGrowth(object, old),
    ...(spec.volumeMode === before.volumeMode
      ? []
      : [fieldError.invalid("volumeMode", spec.volumeMode ?? null, immutable)]),
    ...validateAttributesClass(spec, before),
  ];
}

function withVolumeOf(spec: ClaimSpec, { volumeName }: ClaimSpec): ClaimSpec {
  return volumeName === undefined ? spec : { ...spec, volumeName };
}

interface ClassRule {
  readonly annotation: string;
  readonly classMoved: boolean;
}

/** The new spec with what may change put back as it was. */
function allowed({ spec = {}, status }: Claim, old: Claim, { annotation, classMoved }: ClassRule): ClaimSpec {
  const { storageClassName, volumeAttributesClassName: attributes, resources, ...rest } = spec;
  const before = old.spec ?? {};
  const bound = status?.phase === "Bound";
  const set = before.storageClassName === undefined && old.metadata.annotations?.[annotation] === undefined;
  const className = classMoved || set ? before.storageClassName : storageClassName;
  const attributesName = bound && attributes !== undefined ? before.volumeAttributesClassName : attributes;
  const size = before.resources?.requests?.["storage"];
  const requests =
    bound && resources?.requests !== undefined && size !== undefined
      ? { ...resources.requests, storage: size }
      : resources?.requests;
  return {
    ...rest,
    ...(className === undefined ? {} : { storageClassName: className }),
    ...(attributesName === undefined ? {} : { volumeAttributesClassName: attributesName }),
    ...(resources === undefined
      ? {}
      : { resources: { ...resources, ...(requests === undefined ? {} : { requests }) } }),
  };
}

/** The class stood in an annotation once; it may move to its field. */
function isClassFromAnnotation(object: Claim, old: Claim, annotation: string): boolean {
  const before = old.metadata.annotations?.[annotation];
  const given = object.metadata.annotations?.[annotation];
  return (
    before !== undefined &&
    old.spec?.storageClassName === undefined &&
    object.spec?.storageClassName === before &&
    (given === undefined || given === before)
  );
}

function validateAnnotation(object: Claim, old: Claim, annotation: string): FieldError[] {
  const given = object.metadata.annotations?.[annotation] ?? "";
  const before = old.metadata.annotations?.[annotation] ?? "";
  return given === before ? [] : [fieldError.invalid(`metadata.annotations.${annotation}`, given, immutable)];
}

/** Less than before is a way out of a failed growth, down to what the claim really has. */
function validateGrowth(object: Claim, old: Claim): FieldError[] {
  const size = object.spec?.resources?.requests?.["storage"] ?? "0";
  const before = old.spec?.resources?.requests?.["storage"] ?? "0";
  const real = old.status?.capacity?.["storage"] ?? "0";
  if (compareQuantities(size, before) >= 0 || compareQuantities(size, real) > 0) return [];
  return [fieldError.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")];
}

function validateAttributesClass(spec: ClaimSpec, old: ClaimSpec): FieldError[] {
  const name = spec.volumeAttributesClassName;
  if (old.volumeAttributesClassName === undefined || name === old.volumeAttributesClassName) return [];
  const to = name === undefined ? "nil" : name === "" ? "an empty string" : undefined;
  if (to === undefined) return [];
  return [fieldError.forbidden("spec.volumeAttributesClassName", `update from non-nil value to ${to} is forbidden`)];
}

const growthStatuses = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizePending",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
].sort();

function validateStatus({ status = {} }: Claim, naming: Naming): FieldError[] {
  const statuses = "status.allocatedResourceStatus";
  const amounts = "status.allocatedResources";
  return [
    ...Object.entries(status.capacity ?? {}).flatMap(([name, amount]) =>
      validateAmount(amount, `status.capacity[${name}]`),
    ),
    ...Object.entries(status.allocatedResourceStatuses ?? {}).flatMap(([name, value]) => [
      ...validateStorageName(name, statuses, naming),
      ...(growthStatuses.includes(value) ? [] : [unknownStatus(statuses, name)]),
    ]),
    ...Object.entries(status.allocatedResources ?? {}).flatMap(([name, amount]) => {
      const errors = validateStorageName(name, amounts, naming);
      return errors.length > 0 ? errors : validateAmount(amount, `${amounts}[${name}]`);
    }),
  ];
}

/** The name of a resource stands there without quotes, as in the reference. */
function unknownStatus(at: string, name: string): FieldError {
  const error = fieldError.notSupported(at, name, growthStatuses);
  return { ...error, message: error.message.replace(JSON.stringify(name), () => name) };
}

function validateAmount(amount: string, at: string): FieldError[] {
  return compareQuantities(amount, "0") < 0
    ? [fieldError.invalid(at, wholeOf(amount), "must be a valid resource quantity")]
    : [];
}

/** Of the product's own resources a claim has one; others belong to drivers. */
function validateStorageName(name: string, at: string, naming: Naming): FieldError[] {
  const problems = invalidFor(at, name, qualifiedName(name));
  if (problems.length > 0 || !isNative(name, naming) || name === "storage") return problems;
  return [fieldError.notSupported(at, name, ["storage"])];
}
