import { isObject } from "@orch/schema/descriptor.js";
import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { jsonText } from "@orch/status/json-text.js";
import { validateDriverName } from "../shared/driver-name.js";
import { invalidFor } from "../shared/problems.js";
import { maxItems, validateList } from "./lists.js";
import { validateFullName, validateLabel } from "./names.js";

export interface DeviceSelector {
  readonly cel?: { readonly expression?: string };
}

interface DeviceRequest {
  readonly name?: string;
  readonly deviceClassName?: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: number;
  readonly adminAccess?: boolean;
}

/** Settings for a driver, which alone understands them. */
export interface DeviceConfiguration {
  readonly opaque?: { readonly driver?: string; readonly parameters?: unknown };
}

export interface RequestConfiguration extends DeviceConfiguration {
  readonly requests?: readonly string[];
}

/** What a claim asks for. */
export interface DeviceClaim {
  readonly requests?: readonly DeviceRequest[];
  readonly constraints?: readonly { readonly requests?: readonly string[]; readonly matchAttribute?: string }[];
  readonly config?: readonly RequestConfiguration[];
}

export interface ClaimSpec {
  readonly devices?: DeviceClaim;
}

const maxExpressionBytes = 10_240;
const maxParameterBytes = 10_240;
const modes = ["All", "ExactCount"];

/** One device of a class unless a request says otherwise; the mode itself is data. */
export function defaultClaim(spec: ClaimSpec): ClaimSpec {
  const requests = spec.devices?.requests;
  if (requests === undefined) return spec;
  const counted = requests.map((request) =>
    request.allocationMode === "ExactCount" && (request.count ?? 0) === 0 ? { ...request, count: 1 } : request,
  );
  return { ...spec, devices: { ...spec.devices, requests: counted } };
}

/** `stored`: the configurations are not new, so their size is not looked at (it had no bound at first). */
export function validateClaim({ devices = {} }: ClaimSpec, at: string, stored = false): FieldError[] {
  const { requests = [], constraints = [], config = [] } = devices;
  const names = requestNames(devices);
  return [
    ...validateList(requests, {
      at: `${at}.devices.requests`,
      max: maxItems,
      each: validateRequest,
      key: (request) => request.name ?? "",
      keyAt: "name",
    }),
    ...validateList(constraints, {
      at: `${at}.devices.constraints`,
      max: maxItems,
      each: ({ requests: of = [], matchAttribute }, path) => [
        ...validateRequestRefs(of, `${path}.requests`, names),
        ...(matchAttribute === undefined
          ? [fieldError.required(`${path}.matchAttribute`)]
          : validateFullName(matchAttribute, `${path}.matchAttribute`)),
      ],
    }),
    ...validateList(config, {
      at: `${at}.devices.config`,
      max: maxItems,
      each: (configuration, path) => [
        ...validateRequestRefs(configuration.requests ?? [], `${path}.requests`, names),
        ...validateConfiguration(configuration, path, stored),
      ],
    }),
  ];
}

/** The names that parts of a claim refer to. */
export function requestNames({ requests = [] }: DeviceClaim): ReadonlySet<string> {
  return new Set(requests.map(({ name = "" }) => name));
}

function validateRequest(request: DeviceRequest, at: string): FieldError[] {
  const { name = "", deviceClassName = "", selectors = [], allocationMode = "", count = 0 } = request;
  const countAt = `${at}.count`;
  return [
    ...validateLabel(name, `${at}.name`),
    ...(deviceClassName === ""
      ? [fieldError.required(`${at}.deviceClassName`)]
      : invalidFor(`${at}.deviceClassName`, deviceClassName, dnsSubdomain(deviceClassName))),
    ...validateSelectors(selectors, `${at}.selectors`),
    ...(modes.includes(allocationMode) ? [] : [fieldError.notSupported(`${at}.allocationMode`, allocationMode, modes)]),
    ...(allocationMode === "All" && count !== 0
      ? [fieldError.invalid(countAt, count, "must not be specified when allocationMode is 'All'")]
      : []),
    ...(allocationMode === "ExactCount" && count <= 0
      ? [fieldError.invalid(countAt, count, "must be greater than zero")]
      : []),
  ];
}

/** That there is an expression and how long it is; whether it compiles is not looked at here. */
export function validateSelectors(selectors: readonly DeviceSelector[], at: string): FieldError[] {
  return validateList(selectors, {
    at,
    max: maxItems,
    each: ({ cel }, path) => {
      if (cel === undefined) return [fieldError.required(`${path}.cel`)];
      return Buffer.byteLength(cel.expression ?? "") > maxExpressionBytes
        ? [fieldError.tooLong(`${path}.cel.expression`, maxExpressionBytes)]
        : [];
    },
  });
}

/** References to requests of a claim, each once. */
export function validateRequestRefs(names: readonly string[], at: string, known: ReadonlySet<string>): FieldError[] {
  return validateList(names, {
    at,
    max: maxItems,
    each: (name, path) => validateRequestRef(name, path, known),
    key: (name) => name,
  });
}

export function validateRequestRef(name: string, at: string, known: ReadonlySet<string>): FieldError[] {
  const unknown = known.has(name) ? [] : [fieldError.invalid(at, name, "must be the name of a request in the claim")];
  return [...validateLabel(name, at), ...unknown];
}

export function validateConfiguration({ opaque }: DeviceConfiguration, at: string, stored: boolean): FieldError[] {
  if (opaque === undefined) return [fieldError.required(`${at}.opaque`)];
  return [
    ...validateDriverName(opaque.driver ?? "", `${at}.opaque.driver`),
    ...validateParameters(opaque.parameters, `${at}.opaque.parameters`, stored),
  ];
}

/** A JSON object that the server does not understand. */
export function validateParameters(parameters: unknown, at: string, stored: boolean): FieldError[] {
  if (parameters === undefined || parameters === null) return [fieldError.required(at)];
  if (!stored && Buffer.byteLength(jsonText(parameters)) > maxParameterBytes) {
    return [fieldError.tooLong(at, maxParameterBytes)];
  }
  return isObject(parameters)
    ? []
    : [fieldError.invalid(at, "<value omitted>", "parameters must be a valid JSON object")];
}

/** Whether a claim asks for access to devices that others use. */
export function asksForAdminAccess({ devices }: ClaimSpec): boolean {
  return (devices?.requests ?? []).some((request) => request.adminAccess !== undefined);
}

/** Access to devices that others use is behind a gate that is off in this release (DRAAdminAccess). */
export function withoutAdminAccess(spec: ClaimSpec): ClaimSpec {
  if (!asksForAdminAccess(spec)) return spec;
  const requests = spec.devices?.requests?.map(({ adminAccess: _dropped, ...request }) => request) ?? [];
  return { ...spec, devices: { ...spec.devices, requests } };
}
