import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../shared/problems.js";
import type { PolicySpec } from "./types.js";

const sysctlLength = 253;
const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const patternText = `(${segment}\\.)*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]`;
const lastSegment = /^([a-z0-9][-_a-z0-9]*)?[a-z0-9*]$/;
const innerSegment = new RegExp(`^${segment}$`);

/** Names of kernel parameters, `*` for the end of a name: those allowed and those not have nothing in common. */
export function validateSysctlLists(allowed: readonly string[], forbidden: readonly string[]): FieldError[] {
  const places = { allowed: "spec.allowedUnsafeSysctls", forbidden: "spec.forbiddenSysctls" };
  return [
    ...validateSysctls(allowed, places.allowed),
    ...validateSysctls(forbidden, places.forbidden),
    ...allowed.flatMap((a, i) =>
      forbidden.flatMap((f, j) => {
        // The narrower of the two is the wrong one.
        if (covers(f, a)) {
          return [fieldError.invalid(`${places.allowed}[${i}]`, a, `sysctl overlaps with ${f}`)];
        }
        return covers(a, f) ? [fieldError.invalid(`${places.forbidden}[${j}]`, f, `sysctl overlaps with ${a}`)] : [];
      }),
    ),
  ];
}

/** Whether every name of `b` is one of `a`. */
function covers(a: string, b: string): boolean {
  if (!a.endsWith("*")) return a === b;
  return (b.endsWith("*") ? b.slice(0, -1) : b).startsWith(a.slice(0, -1));
}

function validateSysctls(names: readonly string[], at: string): FieldError[] {
  const errors = names.flatMap((name, i) => {
    const place = `${at}[${i}]`;
    if (name === "") return [fieldError.invalid(place, name, "empty sysctl not allowed")];
    return isPattern(name)
      ? []
      : [
          fieldError.invalid(
            place,
            name,
            `must have at most ${sysctlLength} characters and match regex ${patternText}`,
          ),
        ];
  });
  const all = names.length > 1 && names.some((name) => name.startsWith("*") && isPattern(name));
  return all
    ? [...errors, fieldError.forbidden(`${at}.items`, "if '*' is present, must not specify other sysctls")]
    : errors;
}

function isPattern(name: string): boolean {
  const segments = name.split(".");
  const last = segments.pop() ?? "";
  return name.length <= sysctlLength && lastSegment.test(last) && segments.every((s) => innerSegment.test(s));
}

export function validateRuntimeClasses(classes: NonNullable<PolicySpec["runtimeClass"]>, at: string): FieldError[] {
  const { allowedRuntimeClassNames: allowed = [], defaultRuntimeClassName: byDefault } = classes;
  const place = `${at}.allowedRuntimeClassNames`;
  const open = allowed.includes("*");
  const alone = "if '*' is present, must not specify other RuntimeClass names";
  return [
    ...allowed.flatMap((name, i) => [
      ...(name === "*" ? [] : invalidFor(`${place}[${i}]`, name, dnsSubdomain(name))),
      ...(allowed.indexOf(name) < i ? [fieldError.duplicate(`${place}[${i}]`, name)] : []),
    ]),
    ...(byDefault === undefined ? [] : invalidFor(`${at}.defaultRuntimeClassName`, byDefault, dnsSubdomain(byDefault))),
    ...(byDefault !== undefined && !open && !allowed.includes(byDefault)
      ? [fieldError.required(place, `default ${JSON.stringify(byDefault)} must be allowed`)]
      : []),
    ...(open && allowed.length > 1 ? [fieldError.invalid(place, allowed, alone)] : []),
  ];
}
