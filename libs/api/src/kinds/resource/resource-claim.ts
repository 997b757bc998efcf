import { validateAnnotations, validateLabels } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { allButStatus, statusOnly } from "../shared/status-only.js";
import { type ClaimStatus, validateClaimStatus, withoutReturnedDevices } from "./claim-status.js";
import { type ClaimSpec, defaultClaim, requestNames, validateClaim } from "./devices.js";

interface ResourceClaim extends ApiObject {
  readonly spec?: ClaimSpec;
  readonly status?: ClaimStatus;
}

/** That the spec cannot change is data. */
export const resourceClaim = behavior<ResourceClaim>(() => ({
  setDefaults: (object) => (object.spec === undefined ? object : { ...object, spec: defaultClaim(object.spec) }),
  validateCreate: ({ spec = {} }) => validateClaim(spec, "spec"),
  validateUpdate: ({ spec = {} }) => validateClaim(spec, "spec", true),
  parts: {
    status: {
      resets: allButStatus,
      prepare: (object, old) => {
        const { status = {}, ...rest } = statusOnly(object, old);
        return { ...rest, status: withoutReturnedDevices(status, old.status ?? {}) };
      },
      validate: ({ metadata, spec = {}, status = {} }, { status: old = {} }) =>
        validateClaimStatus(status, old, {
          isDeleted: metadata.deletionTimestamp !== undefined,
          requests: requestNames(spec.devices ?? {}),
        }),
    },
  },
}));

interface ResourceClaimTemplate extends ApiObject {
  readonly spec?: { readonly metadata?: ApiObject["metadata"]; readonly spec?: ClaimSpec };
}

export const resourceClaimTemplate = behavior<ResourceClaimTemplate>(() => ({
  setDefaults: (object) => {
    const { spec } = object;
    return spec?.spec === undefined ? object : { ...object, spec: { ...spec, spec: defaultClaim(spec.spec) } };
  },
  validate: ({ spec = {} }) => validateTemplateMetadata(spec.metadata ?? {}, "spec.metadata"),
  validateCreate: ({ spec = {} }) => validateClaim(spec.spec ?? {}, "spec.spec"),
  validateUpdate: ({ spec = {} }) => validateClaim(spec.spec ?? {}, "spec.spec", true),
}));

/** What objects made of a template get: labels and annotations, nothing else. */
function validateTemplateMetadata({ labels, annotations, ...others }: ApiObject["metadata"], at: string): FieldError[] {
  return [
    ...validateAnnotations(annotations, `${at}.annotations`),
    ...validateLabels(labels, `${at}.labels`),
    ...Object.keys(others).map((name) => fieldError.forbidden(`${at}.${name}`, "cannot be set")),
  ];
}
