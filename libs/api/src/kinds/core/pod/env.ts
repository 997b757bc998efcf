import { asPrefix, dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../../shared/problems.js";
import { each, requireText, subdomain } from "./errors.js";
import type { EnvFromSource, EnvVar, EnvVarSource } from "./types.js";
import { validateFieldRef, validateResourceFieldRef } from "./volume/downward.js";

const several = "may not have more than one field specified at a time";

export function validateEnv(env: readonly EnvVar[] | undefined, at: string): FieldError[] {
  return each(env, at, ({ value = "", valueFrom }, place) =>
    valueFrom === undefined ? [] : validateValueFrom(valueFrom, value, `${place}.valueFrom`),
  );
}

const envFieldPaths = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

function validateValueFrom(source: EnvVarSource, value: string, at: string): FieldError[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source;
  const count = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef].filter((s) => s !== undefined).length;
  const wrong =
    count === 0
      ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
      : value !== ""
        ? "may not be specified when `value` is not empty"
        : count > 1
          ? several
          : undefined;
  return [
    ...(fieldRef === undefined ? [] : validateFieldRef(fieldRef, envFieldPaths, `${at}.fieldRef`)),
    ...(resourceFieldRef === undefined ? [] : validateResourceFieldRef(resourceFieldRef, `${at}.resourceFieldRef`)),
    ...(configMapKeyRef === undefined ? [] : subdomain(`${at}.configMapKeyRef.name`, configMapKeyRef.name ?? "")),
    ...(secretKeyRef === undefined ? [] : subdomain(`${at}.secretKeyRef.name`, secretKeyRef.name ?? "")),
    ...(wrong === undefined ? [] : [fieldError.invalid(at, "", wrong)]),
  ];
}

/** How many sources there are is told at the whole list, as the reference does. */
export function validateEnvFrom(sources: readonly EnvFromSource[] | undefined, at: string): FieldError[] {
  return each(sources, at, ({ configMapRef, secretRef }, place) => {
    const count = [configMapRef, secretRef].filter((s) => s !== undefined).length;
    return [
      ...(configMapRef === undefined ? [] : requireName(`${place}.configMapRef.name`, configMapRef.name)),
      ...(secretRef === undefined ? [] : requireName(`${place}.secretRef.name`, secretRef.name)),
      ...(count === 0 ? [fieldError.invalid(at, "", "must specify one of: `configMapRef` or `secretRef`")] : []),
      ...(count > 1 ? [fieldError.invalid(at, "", several)] : []),
    ];
  });
}

/** Of all objects in an environment; a dash at its end passes, as in the reference. */
function requireName(at: string, name = ""): FieldError[] {
  return name === "" ? requireText(at, name) : invalidFor(at, name, dnsSubdomain(asPrefix(name)));
}
