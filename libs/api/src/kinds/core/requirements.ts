import type { Naming } from "@orch/naming/naming.js";
import { compareQuantities, nanoOf } from "@orch/schema/formats/quantity.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { notFound } from "../shared/problems.js";
import { overcommits, validateAmount, validateContainerResourceName } from "./resource-names.js";
import type { Requirements } from "./resources.js";

export interface RequirementsPlace {
  readonly naming: Naming;
  /** Names of the pod's claims of devices. */
  readonly claims?: ReadonlySet<string>;
}

/** What a container, or a pod's overhead, asks for and is limited to. */
export function validateRequirements(
  requirements: Requirements,
  at: string,
  { naming, claims = noClaims }: RequirementsPlace,
): FieldError[] {
  const { limits = {}, requests = {} } = requirements;
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const backed = names.some((name) => name === "cpu" || name === "memory");
  return [
    ...Object.entries(limits).flatMap(([name, amount]) =>
      validateResource(name, amount, { naming, at: `${at}.limits[${name}]` }),
    ),
    ...Object.entries(requests).flatMap(([name, amount]) => [
      ...validateResource(name, amount, { naming, at: `${at}.requests[${name}]` }),
      ...validateRequest({ name, amount, limit: limits[name] }, { naming, at }),
    ]),
    ...(!backed && names.some(isPages) ? [fieldError.forbidden(at, "HugePages require cpu or memory")] : []),
    ...validateClaims(requirements, claims, `${at}.claims`),
  ];
}

interface Place {
  readonly naming: Naming;
  readonly at: string;
}

function validateResource(name: string, amount: string, { naming, at }: Place): FieldError[] {
  return [
    ...validateContainerResourceName(name, at, naming),
    ...validateAmount(name, amount, { at, naming }),
    ...(isPages(name) && !isWholePages(name, amount)
      ? [fieldError.invalid(at, amount, `${amount} is not positive integer multiple of ${name}`)]
      : []),
  ];
}

const noClaims: ReadonlySet<string> = new Set();
const pages = "hugepages-";

function isPages(name: string): boolean {
  return name.startsWith(pages);
}

function isWholePages(name: string, amount: string): boolean {
  const page = nanoOf(name.slice(pages.length));
  return page > 0n && nanoOf(amount) >= 0n && nanoOf(amount) % page === 0n;
}

interface Request {
  readonly name: string;
  readonly amount: string;
  readonly limit: string | undefined;
}

/** A request is at most its limit; what cannot be overcommitted is limited to just what it asks for. */
function validateRequest({ name, amount, limit }: Request, { naming, at }: Place): FieldError[] {
  const elastic = overcommits(name, naming);
  if (limit === undefined) {
    const detail = "Limit must be set for non overcommitable resources";
    return elastic ? [] : [fieldError.required(`${at}.limits`, detail)];
  }
  const order = compareQuantities(amount, limit);
  if (order === 0 || (order < 0 && elastic)) return [];
  const rule = elastic ? "must be less than or equal to" : "must be equal to";
  return [fieldError.invalid(`${at}.requests`, amount, `${rule} ${name} limit of ${limit}`)];
}

/** Names of the pod's own claims that a container uses, each once, whole or by request. */
function validateClaims({ claims = [] }: Requirements, known: ReadonlySet<string>, at: string): FieldError[] {
  if (claims.length === 0) return [];
  const seen = new Set<string>();
  let list: string | undefined;
  const listed = (): string => {
    list ??= known.size === 0 ? " which is empty" : `: ${[...known].sort().join(", ")}`;
    return list;
  };
  return claims.flatMap(({ name = "", request = "" }, i) => {
    const place = `${at}[${i}]`;
    if (name === "") return [fieldError.required(place)];
    const key = request === "" ? name : `${name}/${request}`;
    const repeated = seen.has(name) ? name : seen.has(key) ? key : undefined;
    seen.add(key);
    return [
      ...(repeated === undefined ? [] : [fieldError.duplicate(place, repeated)]),
      ...(known.has(name)
        ? []
        : [notFound(place, name, `must be one of the names in pod.spec.resourceClaims${listed()}`)]),
    ];
  });
}
