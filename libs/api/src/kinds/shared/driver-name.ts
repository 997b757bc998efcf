import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "./problems.js";

const maxLength = 63;

/** The name of a storage or device driver: a subdomain in any case, at most 63 bytes. */
export function validateDriverName(name: string, at: string): FieldError[] {
  return [
    ...(name === "" ? [fieldError.required(at)] : []),
    ...(Buffer.byteLength(name) > maxLength ? [fieldError.tooLong(at, maxLength)] : []),
    ...invalidFor(at, name, dnsSubdomain(name.toLowerCase())),
  ];
}
