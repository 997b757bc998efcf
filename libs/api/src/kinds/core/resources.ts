import { qualifiedName } from "@orch/schema/formats/names.js";
import { compareQuantities, roundUpToMilli } from "@orch/schema/formats/quantity.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** Quantities by resource name. */
export type Resources = Readonly<Record<string, string>>;

export interface Requirements {
  readonly limits?: Resources;
  readonly requests?: Resources;
  readonly claims?: readonly { readonly name?: string }[];
}

/** Quantities that are not negative. */
export function validateAmounts(resources: Resources | undefined, at: string): FieldError[] {
  return Object.entries(resources ?? {}).flatMap(([name, amount]) =>
    compareQuantities(amount, "0") < 0
      ? [fieldError.invalid(`${at}[${name}]`, amount, "must be greater than or equal to 0")]
      : [],
  );
}

const standard = new Set(["cpu", "memory", "ephemeral-storage"]);

/** Whether a limit of this resource may exceed its request. */
function overcommits(name: string): boolean {
  return standard.has(name);
}

/** The resources of a container. */
export function validateRequirements({ limits = {}, requests = {} }: Requirements, at: string): FieldError[] {
  return [
    ...Object.keys(limits).flatMap((name) => validateName(name, `${at}.limits[${name}]`)),
    ...validateAmounts(limits, `${at}.limits`),
    ...Object.keys(requests).flatMap((name) => validateName(name, `${at}.requests[${name}]`)),
    ...validateAmounts(requests, `${at}.requests`),
    ...Object.entries(requests).flatMap(([name, amount]) => validateRequest({ name, amount, limit: limits[name] }, at)),
  ];
}

function validateName(name: string, at: string): FieldError[] {
  const problems = qualifiedName(name).map((problem) => fieldError.invalid(at, name, problem));
  if (problems.length > 0 || standard.has(name) || name.includes("/") || name.startsWith("hugepages-")) return problems;
  return [fieldError.invalid(at, name, "must be a standard resource for containers")];
}

interface Request {
  readonly name: string;
  readonly amount: string;
  readonly limit: string | undefined;
}

function validateRequest({ name, amount, limit }: Request, at: string): FieldError[] {
  if (limit === undefined) {
    return overcommits(name)
      ? []
      : [fieldError.required(`${at}.limits`, "Limit must be set for non overcommitable resources")];
  }
  const order = compareQuantities(amount, limit);
  if (order > 0) {
    return [fieldError.invalid(`${at}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`)];
  }
  return order < 0 && !overcommits(name)
    ? [fieldError.invalid(`${at}.requests`, amount, `must be equal to ${name} limit of ${limit}`)]
    : [];
}

/** Quantities in whole thousandths, rounded up. */
export function rounded(resources: Resources): Resources {
  const entries = Object.entries(resources).map(([name, amount]) => [name, roundUpToMilli(amount)] as const);
  return entries.every(([name, amount]) => resources[name] === amount) ? resources : Object.fromEntries(entries);
}
