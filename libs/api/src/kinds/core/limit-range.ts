import type { Naming } from "@orch/naming/naming.js";
import { qualifiedName } from "@orch/schema/formats/names.js";
import { compareQuantities, nanoOf } from "@orch/schema/formats/quantity.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { invalidFor } from "../shared/problems.js";
import { repeatsIn } from "../shared/repeats.js";
import { overcommits, validateContainerResourceName, validateResourceName } from "./resource-names.js";
import { type Resources, rounded } from "./resources.js";

const parts = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;
type Part = (typeof parts)[number];

interface Limit extends Readonly<Partial<Record<Part, Resources>>> {
  readonly type?: string;
}

interface LimitRange extends ApiObject {
  readonly spec?: { readonly limits?: readonly Limit[] };
}

export const limitRange = behavior<LimitRange>((naming) => ({
  setDefaults: (object) => {
    const limits = object.spec?.limits;
    return limits === undefined ? object : { ...object, spec: { ...object.spec, limits: limits.map(defaultLimit) } };
  },
  validate: ({ spec = {} }) => {
    const types = (spec.limits ?? []).map(({ type = "" }) => type);
    const repeats = repeatsIn(types);
    return (spec.limits ?? []).flatMap((limit, i) => {
      const at = `spec.limits[${i}]`;
      return [
        ...validateType(types[i] ?? "", `${at}.type`),
        ...(repeats.has(i) ? [fieldError.duplicate(`${at}.type`, types[i])] : []),
        ...validateLimit(limit, at, naming),
      ];
    });
  },
}));

/** A container's limit follows the maximum, its request the limit or else the minimum. */
function defaultLimit(limit: Limit): Limit {
  const filled = limit.type === "Container" ? withRequests(limit) : limit;
  const lists = parts.flatMap((part) => {
    const resources = filled[part];
    return resources === undefined ? [] : [[part, rounded(resources)] as const];
  });
  return { ...filled, ...Object.fromEntries(lists) };
}

function withRequests(limit: Limit): Limit {
  const limits = { ...limit.max, ...limit.default };
  const requests = { ...limit.min, ...limits, ...limit.defaultRequest };
  return {
    ...limit,
    ...(Object.keys(limits).length > 0 ? { default: limits } : {}),
    ...(Object.keys(requests).length > 0 ? { defaultRequest: requests } : {}),
  };
}

const types = ["Pod", "Container", "PersistentVolumeClaim"];

function validateType(type: string, at: string): FieldError[] {
  const problems = invalidFor(at, type, qualifiedName(type));
  if (problems.length > 0 || type.includes("/") || types.includes(type)) return problems;
  return [fieldError.invalid(at, type, "must be a standard limit type or fully qualified")];
}

function validateLimit(limit: Limit, at: string, naming: Naming): FieldError[] {
  const given = limit.type === "Pod" ? (["max", "min", "maxLimitRequestRatio"] as const) : parts;
  const misplaced = limit.type === "Pod" ? (["default", "defaultRequest"] as const) : [];
  const names = new Set(given.flatMap((part) => Object.keys(limit[part] ?? {})));
  const isSized = limit.min?.["storage"] !== undefined || limit.max?.["storage"] !== undefined;
  return [
    ...given.flatMap((part) =>
      Object.keys(limit[part] ?? {}).flatMap((name) =>
        validateName(name, { limit, at: `${at}.${part}[${name}]`, naming }),
      ),
    ),
    ...misplaced
      .filter((part) => Object.keys(limit[part] ?? {}).length > 0)
      .map((part) => fieldError.forbidden(`${at}.${part}`, "may not be specified when `type` is 'Pod'")),
    ...(limit.type === "PersistentVolumeClaim" && !isSized
      ? [
          fieldError.required(
            `${at}.limits`,
            "either minimum or maximum storage value is required, but neither was provided",
          ),
        ]
      : []),
    ...[...names].sort().flatMap((name) => validateOrder(boundsOf(limit, name), { name, at, naming })),
  ];
}

interface NamePlace {
  readonly limit: Limit;
  readonly at: string;
  readonly naming: Naming;
}

function validateName(name: string, { limit, at, naming }: NamePlace): FieldError[] {
  const isOfPods = limit.type === "Pod" || limit.type === "Container";
  return isOfPods ? validateContainerResourceName(name, at, naming) : validateResourceName(name, at);
}

/** What a limit says of one resource. */
interface Bounds {
  readonly max: string | undefined;
  readonly min: string | undefined;
  readonly limit: string | undefined;
  readonly request: string | undefined;
  readonly ratio: string | undefined;
}

function boundsOf(limit: Limit, name: string): Bounds {
  const isPod = limit.type === "Pod";
  return {
    max: limit.max?.[name],
    min: limit.min?.[name],
    limit: isPod ? undefined : limit.default?.[name],
    request: isPod ? undefined : limit.defaultRequest?.[name],
    ratio: limit.maxLimitRequestRatio?.[name],
  };
}

interface ResourcePlace {
  readonly name: string;
  /** The limit's. */
  readonly at: string;
  readonly naming: Naming;
}

/** min ≤ defaultRequest ≤ default ≤ max, and 1 ≤ ratio ≤ max / min. */
function validateOrder(bounds: Bounds, { name, at, naming }: ResourcePlace): FieldError[] {
  const { max, min, limit, request } = bounds;
  const path = (part: Part): string => `${at}.${part}[${name}]`;
  const exceeds = (low: string | undefined, high: string | undefined): boolean =>
    low !== undefined && high !== undefined && compareQuantities(low, high) > 0;
  const errors: FieldError[] = [];
  const wrong = (part: Part, value: string | undefined, detail: string) =>
    errors.push(fieldError.invalid(path(part), value, detail));
  if (exceeds(min, max)) wrong("min", min, `min value ${min} is greater than max value ${max}`);
  if (exceeds(min, request)) {
    wrong("defaultRequest", request, `min value ${min} is greater than default request value ${request}`);
  }
  if (exceeds(request, max)) {
    wrong("defaultRequest", request, `default request value ${request} is greater than max value ${max}`);
  }
  if (exceeds(request, limit)) {
    wrong("defaultRequest", request, `default request value ${request} is greater than default limit value ${limit}`);
  }
  if (exceeds(min, limit)) wrong("default", min, `min value ${min} is greater than default value ${limit}`);
  if (exceeds(limit, max)) wrong("default", max, `default value ${limit} is greater than max value ${max}`);
  errors.push(...validateRatio(bounds, path("maxLimitRequestRatio")));
  if (
    limit !== undefined &&
    request !== undefined &&
    !overcommits(name, naming) &&
    compareQuantities(limit, request) !== 0
  ) {
    wrong("defaultRequest", request, `default value ${limit} must equal to defaultRequest value ${request} in ${name}`);
  }
  return errors;
}

const nano = 1e9;
const numberOf = (quantity: string): number => Number(nanoOf(quantity)) / nano;

function validateRatio({ ratio, min, max }: Bounds, at: string): FieldError[] {
  if (ratio === undefined) return [];
  const most = min === undefined || max === undefined ? undefined : numberOf(max) / numberOf(min);
  return [
    ...(compareQuantities(ratio, "1") < 0 ? [fieldError.invalid(at, ratio, `ratio ${ratio} is less than 1`)] : []),
    ...(most !== undefined && numberOf(ratio) > most
      ? [fieldError.invalid(at, ratio, `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`)]
      : []),
  ];
}
