import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { invalidFor } from "../shared/problems.js";
import { parseCertificate } from "./certificates-text.js";
import { type PemBlock, pemBlocks } from "./pem.js";
import { validateSignerName } from "./signer-name.js";
import type { ClusterTrustBundle } from "./types.js";

const maxBytes = 1_048_576;
const at = "spec.trustBundle";
const omitted = "<value omitted>";

/** That the signer stays is data. */
export const clusterTrustBundle = behavior<ClusterTrustBundle>((naming) => ({
  validate: ({ metadata: { name = "" }, spec: { signerName = "", trustBundle = "" } = {} }) => [
    ...invalidFor("metadata.name", name, name === "" ? [] : nameProblems(name, signerName)),
    ...(signerName === "" ? [] : validateSignerName(naming, signerName, "spec.signerName")),
    ...validateBundle(trustBundle),
  ],
}));

/** A signer's bundles begin with its name: `example.com:signer:` + a name. */
function nameProblems(name: string, signerName: string): readonly string[] {
  if (signerName === "") {
    if (name.includes(":")) return ['ClusterTrustBundle without signer name must not have ":" in its name'];
    return dnsSubdomain(name);
  }
  const prefix = `${signerName.replaceAll("/", ":")}:`;
  if (name.startsWith(prefix)) return dnsSubdomain(name.slice(prefix.length));
  return [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
}

function validateBundle(text: string): FieldError[] {
  if (Buffer.byteLength(text) > maxBytes) return [fieldError.tooLong(at, maxBytes)];
  const blocks = pemBlocks(text);
  const malformed = blocks.flatMap((block, i) => blockProblems(block).map((problem) => `entry ${i} ${problem}`));
  if (malformed.length > 0) return invalidFor(at, omitted, malformed);
  if (blocks.length === 0) return [fieldError.invalid(at, omitted, "at least one trust anchor must be provided")];
  return invalidFor(at, omitted, repeated(blocks));
}

function blockProblems({ type, hasHeaders, bytes }: PemBlock): readonly string[] {
  if (type !== "CERTIFICATE") return [`has bad block type: ${type}`];
  if (hasHeaders) return ["has PEM block headers"];
  const certificate = parseCertificate(bytes);
  if (certificate === undefined) return ["does not parse as X.509"];
  return certificate.ca ? [] : ["does not have the CA bit set"];
}

function repeated(blocks: readonly PemBlock[]): readonly string[] {
  const positions = new Map<string, number[]>();
  for (const [i, { bytes }] of blocks.entries()) {
    const key = bytes.toString("base64");
    positions.set(key, [...(positions.get(key) ?? []), i]);
  }
  return [...positions.values()]
    .filter((p) => p.length > 1)
    .map((p) => `duplicate trust anchor (indices [${p.join(" ")}])`);
}
