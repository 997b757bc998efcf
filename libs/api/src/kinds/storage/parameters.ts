import { qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../shared/problems.js";

/** What a class of storage hands to its driver. */
export type Parameters = Readonly<Record<string, string>>;

const maxParameters = 512;
export const maxParameterBytes = 262_144;

/** Bytes of keys and values. */
export function parameterBytes(parameters: Parameters): number {
  return Object.entries(parameters).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
}

export function validateParameters(parameters: Parameters): FieldError[] {
  if (Object.keys(parameters).length > maxParameters) return [fieldError.tooLong("parameters", maxParameters)];
  return [
    ...(Object.hasOwn(parameters, "") ? [fieldError.invalid("parameters", "", "field can not be empty.")] : []),
    ...(parameterBytes(parameters) > maxParameterBytes ? [fieldError.tooLong("parameters", maxParameterBytes)] : []),
  ];
}

/** The driver of a class of storage: a qualified name in any case. */
export function validateProvisioner(name: string, at: string): FieldError[] {
  return name === ""
    ? [fieldError.required(at)]
    : invalidFor(at, name.toLowerCase(), qualifiedName(name.toLowerCase()));
}
