import { qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../../../shared/problems.js";
import { requireText } from "../errors.js";
import type { DownwardItem, FieldRef, ResourceFieldRef } from "./volume-types.js";

/** Fields of a pod that have a name; those of them that a place takes are fewer. */
const podFieldPaths = new Set([
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "metadata.annotations",
  "metadata.labels",
  "spec.host",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.phase",
  "status.podIP",
  "status.podIPs",
]);

/** `metadata.labels['a']` → `metadata.labels` and `a`; undefined for a path without a subscript at its end. */
function subscriptOf(fieldPath: string): { readonly path: string; readonly key: string } | undefined {
  const open = fieldPath.indexOf("['", 1);
  const close = fieldPath.length - "']".length;
  if (open < 0 || open + 2 > close || !fieldPath.endsWith("']")) return undefined;
  return { path: fieldPath.slice(0, open), key: fieldPath.slice(open + 2, close) };
}

/** A reference to one of the pod's own fields; `paths` are those that the place takes, without a subscript. */
export function validateFieldRef(
  { apiVersion = "", fieldPath = "" }: FieldRef,
  paths: readonly string[],
  at: string,
): FieldError[] {
  // Their absence is told by the checks of the type.
  if (apiVersion === "" || fieldPath === "") return [];
  const unconverted = (why: string) => [
    fieldError.invalid(`${at}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`),
  ];
  if (apiVersion !== "v1") return unconverted(`unsupported pod version: ${apiVersion}`);
  const { path = "", key = "" } = subscriptOf(fieldPath) ?? {};
  if (path === "metadata.annotations") return invalidFor(at, key.toLowerCase(), qualifiedName(key.toLowerCase()));
  if (path === "metadata.labels") return invalidFor(at, key, qualifiedName(key));
  if (path !== "") return unconverted(`field label does not support subscript: ${fieldPath}`);
  if (!podFieldPaths.has(fieldPath)) return unconverted(`field label not supported: ${fieldPath}`);
  const known = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
  return paths.includes(known) ? [] : [fieldError.notSupported(`${at}.fieldPath`, known, [...paths].sort())];
}

const resourcePaths = ["limits", "requests"]
  .flatMap((side) => ["cpu", "ephemeral-storage", "memory"].map((name) => `${side}.${name}`))
  .sort();

const sizes = "1,1k,1M,1G,1T,1P,1E,1Ki,1Mi,1Gi,1Ti,1Pi,1Ei".split(",");

/** Units in which the amount of a resource may be told. */
const divisors: readonly { readonly pattern: RegExp; readonly what: string; readonly units: readonly string[] }[] = [
  { pattern: /^(limits|requests)\.cpu$/, what: "cpu", units: ["1m", "1"] },
  { pattern: /^(limits|requests)\.memory$/, what: "memory", units: sizes },
  { pattern: /^(limits|requests)\.ephemeral-storage$/, what: "local ephemeral storage", units: sizes },
  { pattern: /^(limits|requests)\.hugepages-/, what: "hugepages", units: sizes },
];

/** A reference to an amount of a container's resources. */
export function validateResourceFieldRef({ resource = "", divisor = "0" }: ResourceFieldRef, at: string): FieldError[] {
  if (resource === "") return [];
  const known = divisors.find((d) => d.pattern.test(resource));
  if (known === undefined) return [fieldError.notSupported(`${at}.resource`, resource, resourcePaths)];
  if (divisor === "0" || known.units.includes(divisor)) return [];
  const units = known.units.length === 2 ? known.units.join(" and ") : known.units.join(", ");
  const detail = `only divisor's values ${units} are supported with the ${known.what} resource`;
  return [fieldError.invalid(`${at}.divisor`, resource, detail)];
}

const volumeFieldPaths = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

/** A file with a value of the pod itself; errors stand at the source, as in the reference. */
export function validateDownwardItem({ fieldRef, resourceFieldRef }: DownwardItem, at: string): FieldError[] {
  if (fieldRef !== undefined) {
    return [
      ...validateFieldRef(fieldRef, volumeFieldPaths, `${at}.fieldRef`),
      ...(resourceFieldRef === undefined
        ? []
        : [fieldError.invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")]),
    ];
  }
  if (resourceFieldRef === undefined) {
    return [fieldError.required(at, "one of fieldRef and resourceFieldRef is required")];
  }
  const place = `${at}.resourceFieldRef`;
  return [
    ...requireText(`${place}.containerName`, resourceFieldRef.containerName),
    ...validateResourceFieldRef(resourceFieldRef, place),
  ];
}
