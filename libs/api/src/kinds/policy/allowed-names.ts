import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../shared/problems.js";
import { repeatsIn } from "../shared/repeats.js";
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
    ...overlaps(allowed, forbidden).map(({ i, a, j, f }) =>
      // The narrower of the two is the wrong one.
      covers(f, a)
        ? fieldError.invalid(`${places.allowed}[${i}]`, a, `sysctl overlaps with ${f}`)
        : fieldError.invalid(`${places.forbidden}[${j}]`, f, `sysctl overlaps with ${a}`),
    ),
  ];
}

interface Overlap {
  readonly i: number;
  readonly a: string;
  readonly j: number;
  readonly f: string;
}

/** Overlaps that are told: two lists of one name each, ten thousand times, would have a hundred million. */
const maxOverlaps = 1000;

/**
 * Names of two lists of which one covers the other, in the order of the first. In the sorted second list the names that
 * begin alike stand side by side; those that cover a name are among its beginnings.
 */
function overlaps(allowed: readonly string[], forbidden: readonly string[]): readonly Overlap[] {
  const found: Overlap[] = [];
  const places = new Map<string, number[]>();
  for (const [j, f] of forbidden.entries()) {
    const same = places.get(f);
    if (same === undefined) places.set(f, [j]);
    else if (same.length < maxOverlaps) same.push(j);
  }
  const sorted = [...places.keys()].sort();
  for (const [i, a] of allowed.entries()) {
    const js = overlapping(a, places, sorted).sort((x, y) => x - y);
    for (const j of js) {
      if (found.length === maxOverlaps) return found;
      found.push({ i, a, j, f: forbidden[j] ?? "" });
    }
  }
  return found;
}

/** Places of the names that cover `a` or that it covers. */
function overlapping(a: string, places: ReadonlyMap<string, readonly number[]>, sorted: readonly string[]): number[] {
  const js = [...(places.get(a) ?? [])];
  const base = a.endsWith("*") ? a.slice(0, -1) : a;
  for (let length = 0; length <= Math.min(base.length, sysctlLength); length++) {
    const wider = `${base.slice(0, length)}*`;
    if (wider !== a) js.push(...(places.get(wider) ?? []));
  }
  if (!a.endsWith("*")) return js;
  for (let at = firstFrom(sorted, base); sorted[at]?.startsWith(base) === true && js.length <= maxOverlaps; at++) {
    const narrower = sorted[at] ?? "";
    if (narrower !== a && narrower !== `${base}*`) js.push(...(places.get(narrower) ?? []));
  }
  return js;
}

/** Where the first text stands that is not before this one. */
function firstFrom(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
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
  const repeats = repeatsIn(allowed);
  const open = allowed.includes("*");
  const alone = "if '*' is present, must not specify other RuntimeClass names";
  return [
    ...allowed.flatMap((name, i) => [
      ...(name === "*" ? [] : invalidFor(`${place}[${i}]`, name, dnsSubdomain(name))),
      ...(repeats.has(i) ? [fieldError.duplicate(`${place}[${i}]`, name)] : []),
    ]),
    ...(byDefault === undefined ? [] : invalidFor(`${at}.defaultRuntimeClassName`, byDefault, dnsSubdomain(byDefault))),
    ...(byDefault !== undefined && !open && !allowed.includes(byDefault)
      ? [fieldError.required(place, `default ${JSON.stringify(byDefault)} must be allowed`)]
      : []),
    ...(open && allowed.length > 1 ? [fieldError.invalid(place, allowed, alone)] : []),
  ];
}
