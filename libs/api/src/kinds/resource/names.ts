import { cIdentifier, dnsLabel, dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validateDriverName } from "../shared/driver-name.js";
import { invalidFor } from "../shared/problems.js";

const maxPoolBytes = 253;
const maxIdBytes = 32;

/** Subdomains with slashes between them. */
export function validatePoolName(name: string, at: string): FieldError[] {
  if (name === "") return [fieldError.required(at)];
  return [
    ...(Buffer.byteLength(name) > maxPoolBytes ? [fieldError.tooLong(at, maxPoolBytes)] : []),
    ...name.split("/").flatMap((part) => invalidFor(at, part, dnsSubdomain(part))),
  ];
}

/** Of a request or a device. */
export function validateLabel(name: string, at: string): FieldError[] {
  return invalidFor(at, name, dnsLabel(name));
}

/** Of an attribute or a capacity: an identifier, behind the domain of a driver where it is not the slice's own. */
export function validateQualifiedName(name: string, at: string): FieldError[] {
  if (name === "") return [fieldError.required(at, "name required")];
  const [first = "", second, ...others] = name.split("/");
  if (second === undefined) return validateIdentifier(first, at);
  if (others.length > 0) return [];
  return [
    ...(first === "" ? [fieldError.required(at, "the domain must not be empty")] : validateDriverName(first, at)),
    ...(second === "" ? [fieldError.required(at, "the name must not be empty")] : validateIdentifier(second, at)),
  ];
}

/** A {@link validateQualifiedName} that must have its domain. */
export function validateFullName(name: string, at: string): FieldError[] {
  return [
    ...validateQualifiedName(name, at),
    ...(name !== "" && !name.includes("/") ? [fieldError.invalid(at, name, "must include a domain")] : []),
  ];
}

function validateIdentifier(id: string, at: string): FieldError[] {
  return [
    ...(Buffer.byteLength(id) > maxIdBytes ? [fieldError.tooLong(at, maxIdBytes)] : []),
    ...cIdentifier(id).map((problem) => fieldError.typeInvalid(at, id, problem)),
  ];
}
