import type { Naming } from "@orch/naming/naming.js";
import { qualifiedName } from "@orch/schema/formats/names.js";
import { compareQuantities, nanoOf } from "@orch/schema/formats/quantity.js";
import { cut } from "@orch/status/cut.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { Resources } from "./resources.js";

/** The names of what is counted and measured: which of them the product knows itself, and where each may stand. */
const compute = ["cpu", "memory", "ephemeral-storage"];
const counted = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const inQuotas = new Set([
  ...compute,
  ...compute.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "requests.storage",
  ...counted,
]);
const inContainers = new Set(compute);
const wholeNumbers = new Set(counted);

/** Without a domain, or in the product's own. */
export function isNative(name: string, naming: Naming): boolean {
  return !name.includes("/") || name.includes(naming.key(""));
}

/** A resource of a driver or of a user: counted in whole numbers, never overcommitted. */
export function isExtended(name: string, naming: Naming): boolean {
  if (isNative(name, naming) || name.startsWith("requests.")) return false;
  return qualifiedName(`requests.${name}`).length === 0;
}

/** Whether a limit of this resource may exceed its request. */
export function overcommits(name: string, naming: Naming): boolean {
  return isNative(name, naming) && !name.startsWith("hugepages-");
}

/** What is wrong with a name of a resource, which stands there without quotes, as in the reference. */
function wrongName(at: string, name: string, detail: string): FieldError {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${cut(name)}: ${detail}`, field: at };
}

/** A name with a domain, or one of the product's own. */
export function validateResourceName(name: string, at: string): FieldError[] {
  const problems = qualifiedName(name).map((problem) => wrongName(at, name, problem));
  if (problems.length > 0 || name.includes("/") || name === "storage" || isQuotaName(name)) return problems;
  return [wrongName(at, name, "must be a standard resource type or fully qualified")];
}

/** What a container may ask for or be limited in. */
export function validateContainerResourceName(name: string, at: string, naming: Naming): FieldError[] {
  const problems = validateResourceName(name, at);
  if (!name.includes("/")) {
    // An unknown name is told both ways, as in the reference.
    return inContainers.has(name) || name.startsWith("hugepages-")
      ? problems
      : [...problems, wrongName(at, name, "must be a standard resource for containers")];
  }
  return isNative(name, naming) || isExtended(name, naming)
    ? problems
    : [...problems, wrongName(at, name, "doesn't follow extended resource name standard")];
}

export function isQuotaName(name: string): boolean {
  return inQuotas.has(name) || name.startsWith("hugepages-") || name.startsWith("requests.hugepages-");
}

export function validateQuotaResourceName(name: string, at: string): FieldError[] {
  const problems = validateResourceName(name, at);
  if (name.includes("/") || isQuotaName(name)) return problems;
  // An unknown name is told both ways, as in the reference.
  return [...problems, wrongName(at, name, "must be a standard resource for quota")];
}

const whole = 1_000_000_000n;

/** An amount of a resource: not negative, and whole where the resource is counted. */
export function validateAmount(name: string, amount: string, { at, naming }: AmountPlace): FieldError[] {
  const isCount = wholeNumbers.has(name) || isExtended(name, naming);
  return [
    ...(compareQuantities(amount, "0") < 0
      ? [fieldError.invalid(at, amount, "must be greater than or equal to 0")]
      : []),
    ...(isCount && nanoOf(amount) % whole !== 0n ? [fieldError.invalid(at, amount, "must be an integer")] : []),
  ];
}

export interface AmountPlace {
  readonly at: string;
  readonly naming: Naming;
}

/** {@link validateAmount} of each resource of a list. */
export function validateAmounts(resources: Resources | undefined, { at, naming }: AmountPlace): FieldError[] {
  return Object.entries(resources ?? {}).flatMap(([name, amount]) =>
    validateAmount(name, amount, { at: `${at}[${name}]`, naming }),
  );
}
