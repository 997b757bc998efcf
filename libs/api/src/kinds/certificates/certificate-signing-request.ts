import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { invalidFor } from "../shared/problems.js";
import { repeatsIn } from "../shared/repeats.js";
import { certificateProblems } from "./certificates-text.js";
import { defaultSignerName, legacySigner } from "./default-signer.js";
import { validateSignerName } from "./signer-name.js";
import { parseSigningRequest } from "./signing-request.js";
import { fromRequester, withApprovalOf, withMetadataOf, withStatusOf } from "./signing-request-prepare.js";
import type { CertificateSigningRequest, Condition } from "./types.js";

type Request = CertificateSigningRequest;

const minSeconds = 600;
const decisions = ["Approved", "Denied"];
const lasting = [...decisions, "Failed"];
const usages = new Set([
  "signing",
  "digital signature",
  "content commitment",
  "key encipherment",
  "key agreement",
  "data encipherment",
  "cert sign",
  "crl sign",
  "encipher only",
  "decipher only",
  "any",
  "server auth",
  "client auth",
  "code signing",
  "email protection",
  "s/mime",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "timestamping",
  "ocsp signing",
  "microsoft sgc",
  "netscape sgc",
]);

/** Spec 1: Removed API versions by release, 1.22: v1 asks for more than v1beta1, and what is stored may be of either. */
export const signingRequest = behavior<Request>((naming) => {
  const validate = (object: Request) => validateStored(object, naming);
  return {
    prepareForCreate: fromRequester,
    prepareForUpdate: withMetadataOf,
    validate,
    validateRequest: (object, old) => validateStrictly(object, old, naming),
    parts: {
      approval: {
        changes: ["metadata", "status.conditions"],
        prepare: withApprovalOf,
        validate: (object, old) => [...validate(object), ...validateRemoved(object, old)],
      },
      status: {
        prepare: withStatusOf,
        validate: (object, old) => [
          ...validate(object),
          ...validateRemoved(object, old),
          ...validateDecided(object, old),
          ...validateCertificateChange(object, old),
        ],
      },
    },
  };
});

export const signingRequestV1beta1 = behavior<Request>((naming) => ({
  setDefaults: (object) => {
    const spec = object.spec ?? {};
    const { conditions } = object.status ?? {};
    const given = { ...spec, usages: spec.usages ?? ["digital signature", "key encipherment"] };
    return {
      ...object,
      spec: { ...given, signerName: spec.signerName ?? defaultSignerName(given, naming) },
      ...(conditions === undefined
        ? {}
        : { status: { ...object.status, conditions: conditions.map((c) => ({ ...c, status: c.status || "True" })) } }),
    };
  },
}));

function validateStored(object: Request, naming: Naming): FieldError[] {
  const { request = "", signerName = "", expirationSeconds, usages: given = [] } = object.spec ?? {};
  const parsed = parseSigningRequest(textOf(request));
  return [
    ...(typeof parsed === "string" ? [fieldError.invalid("spec.request", request, parsed)] : []),
    ...(given.length === 0 ? [fieldError.required("spec.usages")] : []),
    ...validateSignerName(naming, signerName, "spec.signerName"),
    ...(expirationSeconds !== undefined && expirationSeconds < minSeconds
      ? [
          fieldError.invalid(
            "spec.expirationSeconds",
            expirationSeconds,
            "may not specify a duration less than 600 seconds (10 minutes)",
          ),
        ]
      : []),
    ...validateConditions(object.status?.conditions ?? []),
  ];
}

function textOf(base64: string): string {
  return Buffer.from(base64, "base64").toString("latin1");
}

const conditionAt = (i: number): string => `status.conditions[${i}]`;

function validateConditions(conditions: readonly Condition[]): FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap(({ type = "", status = "" }, i) => {
    const supported = lasting.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    const other = decisions.find((d) => d !== type);
    const contradicts = decisions.includes(type) && other !== undefined && seen.has(other);
    seen.add(type);
    return [
      ...(status === "" ? [fieldError.required(`${conditionAt(i)}.status`)] : []),
      ...(status === "" || supported.includes(status)
        ? []
        : [fieldError.notSupported(`${conditionAt(i)}.status`, status, supported)]),
      ...(contradicts
        ? [fieldError.invalid(`${conditionAt(i)}.type`, type, "Approved and Denied conditions are mutually exclusive")]
        : []),
    ];
  });
}

/** What v1 refuses beyond {@link validateStored}, where the stored object does not have it already. */
function validateStrictly(object: Request, old: Request | undefined, naming: Naming): FieldError[] {
  const rules: readonly ((object: Request) => FieldError[])[] = [
    validateKnownUsages,
    validateUniqueUsages,
    (request) => validateNoLegacy(request, naming),
    validateConditionTypes,
    validateUniqueTypes,
  ];
  return [
    ...rules.flatMap((rule) => (old !== undefined && rule(old).length > 0 ? [] : rule(object))),
    ...validateCertificate(object, old),
  ];
}

function validateKnownUsages({ spec }: Request): FieldError[] {
  const supported = [...usages].sort();
  return (spec?.usages ?? []).flatMap((usage, i) =>
    usages.has(usage) ? [] : [fieldError.notSupported(`spec.usages[${i}]`, usage, supported)],
  );
}

function validateUniqueUsages({ spec }: Request): FieldError[] {
  const given = spec?.usages ?? [];
  const repeats = repeatsIn(given);
  return given.flatMap((usage, i) => (repeats.has(i) ? [fieldError.duplicate(`spec.usages[${i}]`, usage)] : []));
}

function validateNoLegacy({ spec }: Request, naming: Naming): FieldError[] {
  const name = spec?.signerName ?? "";
  if (name !== legacySigner(naming)) return [];
  return [fieldError.invalid("spec.signerName", name, "the legacy signerName is not allowed via this API version")];
}

function validateConditionTypes({ status }: Request): FieldError[] {
  return (status?.conditions ?? []).flatMap(({ type = "" }, i) =>
    type === "" ? [fieldError.required(`${conditionAt(i)}.type`)] : [],
  );
}

function validateUniqueTypes({ status }: Request): FieldError[] {
  const types = (status?.conditions ?? []).map((c) => c.type ?? "");
  const repeats = repeatsIn(types);
  return types.flatMap((type, i) => (repeats.has(i) ? [fieldError.duplicate(`${conditionAt(i)}.type`, type)] : []));
}

function validateCertificate({ status }: Request, old: Request | undefined): FieldError[] {
  const certificate = status?.certificate ?? "";
  if (certificate === "" || certificate === old?.status?.certificate) return [];
  return invalidFor("status.certificate", "<certificate data>", certificateProblems(textOf(certificate)));
}

function ofType(object: Request, type: string): readonly Condition[] {
  return (object.status?.conditions ?? []).filter((c) => c.type === type);
}

function validateRemoved(object: Request, old: Request): FieldError[] {
  return lasting.flatMap((type) =>
    ofType(object, type).length < ofType(old, type).length
      ? [
          fieldError.forbidden(
            "status.conditions",
            `updates may not remove a condition of type ${JSON.stringify(type)}`,
          ),
        ]
      : [],
  );
}

function validateDecided(object: Request, old: Request): FieldError[] {
  return decisions.flatMap((type) =>
    ofType(object, type).length > ofType(old, type).length
      ? [fieldError.forbidden("status.conditions", `updates may not add a condition of type ${JSON.stringify(type)}`)]
      : [],
  );
}

function validateCertificateChange(object: Request, old: Request): FieldError[] {
  const before = old.status?.certificate ?? "";
  if (before === "" || before === (object.status?.certificate ?? "")) return [];
  return [fieldError.forbidden("status.certificate", "updates may not modify existing certificate content")];
}
