import { qualifiedName } from "@orch/schema/formats/names.js";
import { compareQuantities, nanoOf } from "@orch/schema/formats/quantity.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { Requirements, Resources } from "../resources.js";
import { invalidEach, notFound, oneOf } from "./errors.js";
import type { PodSpec, ResizePolicy } from "./types.js";

const ofContainers = new Set(["cpu", "memory", "ephemeral-storage"]);
const standard = new Set([
  ...ofContainers,
  ...["storage", "requests.storage", "pods", "services", "replicationcontrollers", "resourcequotas", "secrets"],
  ...["configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"],
  ...["requests", "limits"].flatMap((side) => ["cpu", "memory", "ephemeral-storage"].map((name) => `${side}.${name}`)),
]);
const hugepages = "hugepages-";
const nanos = 1_000_000_000n;

/**
 * What a container, or a pod's overhead, asks for and is limited to. Resources with a prefix are extended ones:
 * whole, and never more than asked for.
 */
export function validateRequirements(requirements: Requirements, at: string, claims?: readonly string[]): FieldError[] {
  const { limits = {}, requests = {} } = requirements;
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const backed = names.some((name) => name === "cpu" || name === "memory");
  return [
    ...Object.entries(limits).flatMap(([name, amount]) => validateAmount(name, amount, `${at}.limits[${name}]`)),
    ...Object.entries(requests).flatMap(([name, amount]) => [
      ...validateAmount(name, amount, `${at}.requests[${name}]`),
      ...validateRequest(name, limits, { amount, at }),
    ]),
    ...(!backed && names.some((name) => name.startsWith(hugepages))
      ? [fieldError.forbidden(at, "HugePages require cpu or memory")]
      : []),
    ...validateClaims(requirements, claims ?? [], `${at}.claims`),
  ];
}

function validateAmount(name: string, amount: string, at: string): FieldError[] {
  const invalid = (detail: string) => fieldError.invalid(at, amount, detail);
  const whole = isExtended(name) && nanoOf(amount) % nanos !== 0n;
  return [
    ...validateName(name, at),
    ...(compareQuantities(amount, "0") < 0 ? [invalid("must be greater than or equal to 0")] : []),
    ...(whole ? [invalid("must be an integer")] : []),
    ...(name.startsWith(hugepages) && !isWholePages(name, amount)
      ? [invalid(`${amount} is not positive integer multiple of ${name}`)]
      : []),
  ];
}

function isWholePages(name: string, amount: string): boolean {
  const page = nanoOf(name.slice(hugepages.length));
  return page > 0n && nanoOf(amount) >= 0n && nanoOf(amount) % page === 0n;
}

function isExtended(name: string): boolean {
  return name.includes("/");
}

function validateName(name: string, at: string): FieldError[] {
  const problems = qualifiedName(name);
  if (problems.length > 0) return invalidEach(at, name, problems);
  if (isExtended(name)) {
    // It has to be a name with `requests.` in front too: so a quota counts it.
    const fits = !name.startsWith("requests.") && qualifiedName(`requests.${name}`).length === 0;
    return fits ? [] : [fieldError.invalid(at, name, "doesn't follow extended resource name standard")];
  }
  if (ofContainers.has(name) || name.startsWith(hugepages)) return [];
  return [
    ...(standard.has(name)
      ? []
      : [fieldError.invalid(at, name, "must be a standard resource type or fully qualified")]),
    fieldError.invalid(at, name, "must be a standard resource for containers"),
  ];
}

interface Request {
  readonly amount: string;
  readonly at: string;
}

function validateRequest(name: string, limits: Resources, { amount, at }: Request): FieldError[] {
  const overcommits = !isExtended(name) && !name.startsWith(hugepages);
  const limit = limits[name];
  if (limit === undefined) {
    const detail = "Limit must be set for non overcommitable resources";
    return overcommits ? [] : [fieldError.required(`${at}.limits`, detail)];
  }
  const order = compareQuantities(amount, limit);
  if (order === 0 || (order < 0 && overcommits)) return [];
  const rule = overcommits ? "must be less than or equal to" : "must be equal to";
  return [fieldError.invalid(`${at}.requests`, amount, `${rule} ${name} limit of ${limit}`)];
}

/** Names of the pod's own claims that a container uses, each once, whole or by request. */
function validateClaims({ claims = [] }: Requirements, known: readonly string[], at: string): FieldError[] {
  const seen = new Set<string>();
  const listed = known.length === 0 ? " which is empty" : `: ${[...known].sort().join(", ")}`;
  return claims.flatMap(({ name = "", request = "" }, i) => {
    const place = `${at}[${i}]`;
    if (name === "") return [fieldError.required(place)];
    const key = request === "" ? name : `${name}/${request}`;
    const repeated = seen.has(name) ? name : seen.has(key) ? key : undefined;
    seen.add(key);
    return [
      ...(repeated === undefined ? [] : [fieldError.duplicate(place, repeated)]),
      ...(known.includes(name)
        ? []
        : [notFound(place, name, `must be one of the names in pod.spec.resourceClaims${listed}`)]),
    ];
  });
}

export function validateResizePolicy(
  policies: readonly ResizePolicy[] | undefined,
  { restartPolicy }: PodSpec,
  at: string,
): FieldError[] {
  const names = (policies ?? []).map((p) => p.resourceName);
  return (policies ?? []).flatMap((policy, i) => {
    const { resourceName = "", restartPolicy: restart = "" } = policy;
    return [
      ...(names.indexOf(policy.resourceName) < i ? [fieldError.duplicate(`${at}[${i}]`, resourceName)] : []),
      ...(resourceName === "" ? [fieldError.required(at)] : oneOf(at, resourceName, ["cpu", "memory"])),
      ...(restart === "" ? [fieldError.required(at)] : oneOf(at, restart, ["NotRequired", "RestartContainer"])),
      ...(restartPolicy === "Never" && restart !== "NotRequired"
        ? [fieldError.invalid(at, restart, "must be 'NotRequired' when `restartPolicy` is 'Never'")]
        : []),
    ];
  });
}
