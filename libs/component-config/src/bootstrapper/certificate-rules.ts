import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { nanoseconds, unless } from "../rules.js";
import type { ClusterConfiguration } from "./bootstrapper-shapes.js";

const algorithms: readonly string[] = ["ECDSA-P256", "RSA-2048", "RSA-3072", "RSA-4096"];

type Certificates = Pick<
  ClusterConfiguration,
  "encryptionAlgorithm" | "certificateValidityPeriod" | "caCertificateValidityPeriod"
>;

/** Of the certificates of a cluster: by which keys, and for how long. */
export function checkCertificates(value: Certificates): readonly FieldError[] {
  const { encryptionAlgorithm: algorithm, certificateValidityPeriod, caCertificateValidityPeriod } = value;
  return [
    ...unless(algorithms.includes(algorithm), () =>
      fieldError.invalid(
        "encryptionAlgorithm",
        algorithm,
        `Invalid encryption algorithm ${JSON.stringify(algorithm)}. Must be one of [${algorithms.join(" ")}]`,
      ),
    ),
    ...Object.entries({ certificateValidityPeriod, caCertificateValidityPeriod }).flatMap(([field, period]) =>
      unless(nanoseconds(period) > 0n, () => fieldError.invalid(field, period, "must be greater than 0")),
    ),
  ];
}
