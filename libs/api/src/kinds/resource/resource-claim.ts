import { validateAnnotations, validateLabels } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { allButStatus, statusOnly } from "../shared/status-only.js";
import { type ClaimStatus, validateClaimStatus, withoutAdminResults, withoutReturnedDevices } from "./claim-status.js";
import {
  asksForAdminAccess,
  type ClaimSpec,
  defaultClaim,
  requestNames,
  validateClaim,
  withoutAdminAccess,
} from "./devices.js";

interface ResourceClaim extends ApiObject {
  readonly spec?: ClaimSpec;
  readonly status?: ClaimStatus;
}

/** That the spec cannot change is data. */
export const resourceClaim = behavior<ResourceClaim>(() => ({
  setDefaults: (object) => (object.spec === undefined ? object : { ...object, spec: defaultClaim(object.spec) }),
  prepareForCreate: (object) => withoutDisabled(object, {}),
  prepareForUpdate: (object, old) => withoutDisabled(object, old.spec ?? {}),
  validateCreate: ({ spec = {} }) => validateClaim(spec, "spec"),
  validateUpdate: ({ spec = {} }) => validateClaim(spec, "spec", true),
  parts: {
    status: {
      resets: allButStatus,
      prepare: (object, old) => {
        const { status = {}, ...rest } = statusOnly(object, old);
        const allowed = asksForAdminAccess(old.spec ?? {}) ? status : withoutAdminResults(status);
        return { ...rest, status: withoutDevices(allowed, old.status ?? {}) };
      },
      validate: ({ metadata, spec = {}, status = {} }, { status: old = {} }) =>
        validateClaimStatus(status, old, {
          isDeleted: metadata.deletionTimestamp !== undefined,
          requests: requestNames(spec.devices ?? {}),
        }),
    },
  },
}));

/** Fields that the stored spec has may be written. */
function withoutDisabled(object: ResourceClaim, stored: ClaimSpec): ResourceClaim {
  const { spec } = object;
  return spec === undefined || asksForAdminAccess(stored) ? object : { ...object, spec: withoutAdminAccess(spec) };
}

/** What drivers tell of devices is behind a gate that is off in this release (DRAResourceClaimDeviceStatus). */
function withoutDevices(status: ClaimStatus, old: ClaimStatus): ClaimStatus {
  if ((old.devices ?? []).length > 0) return withoutReturnedDevices(status, old);
  const { devices: _dropped, ...rest } = status;
  return rest;
}

interface ResourceClaimTemplate extends ApiObject {
  readonly spec?: { readonly metadata?: ApiObject["metadata"]; readonly spec?: ClaimSpec };
}

export const resourceClaimTemplate = behavior<ResourceClaimTemplate>(() => ({
  setDefaults: (object) => {
    const { spec } = object;
    return spec?.spec === undefined ? object : { ...object, spec: { ...spec, spec: defaultClaim(spec.spec) } };
  },
  prepareForCreate: (object) => withoutDisabledInTemplate(object, {}),
  prepareForUpdate: (object, old) => withoutDisabledInTemplate(object, old.spec?.spec ?? {}),
  validate: ({ spec = {} }) => validateTemplateMetadata(spec.metadata ?? {}, "spec.metadata"),
  validateCreate: ({ spec = {} }) => validateClaim(spec.spec ?? {}, "spec.spec"),
  validateUpdate: ({ spec = {} }) => validateClaim(spec.spec ?? {}, "spec.spec", true),
}));

function withoutDisabledInTemplate(object: ResourceClaimTemplate, stored: ClaimSpec): ResourceClaimTemplate {
  const { spec } = object;
  if (spec?.spec === undefined || asksForAdminAccess(stored)) return object;
  return { ...object, spec: { ...spec, spec: withoutAdminAccess(spec.spec) } };
}

/** What objects made of a template get: labels and annotations, nothing else. */
function validateTemplateMetadata({ labels, annotations, ...others }: ApiObject["metadata"], at: string): FieldError[] {
  return [
    ...validateAnnotations(annotations, `${at}.annotations`),
    ...validateLabels(labels, `${at}.labels`),
    ...Object.keys(others).map((name) => fieldError.forbidden(`${at}.${name}`, "cannot be set")),
  ];
}
