import type { Naming } from "@orch/naming/naming.js";
import { dnsLabel, dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../shared/problems.js";

const maxDomain = 253;
const maxPath = 253 + 63 + 1;

/** `example.com/signer-name`. The product's own domain may have one segment. */
export function validateSignerName(naming: Naming, name: string, at: string): FieldError[] {
  if (name === "") return [fieldError.required(at)];
  const [domain = "", path = "", ...more] = name.split("/");
  if (!name.includes("/") || more.length > 0) {
    return [
      fieldError.invalid(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    ];
  }
  const labels = domain.split(".");
  const short = labels.length < 2 && naming.key("") !== `${domain}/`;
  return [
    ...(domain.length > maxDomain ? [fieldError.tooLong(at, maxDomain)] : []),
    ...labels.flatMap((label) => invalidFor(at, domain, labelProblems(label, dnsLabel(label)))),
    ...(short
      ? [fieldError.invalid(at, domain, "should be a domain with at least two segments separated by dots")]
      : []),
    ...path.split(".").flatMap((label) => invalidFor(at, path, labelProblems(label, dnsSubdomain(label)))),
    ...(name.length > maxDomain + maxPath + 1 ? [fieldError.tooLong(at, maxDomain + maxPath + 1)] : []),
  ];
}

function labelProblems(label: string, problems: readonly string[]): readonly string[] {
  return problems.map((problem) => `validating label ${JSON.stringify(label)}: ${problem}`);
}
