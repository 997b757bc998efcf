import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { type PemBlock, pemBlocks } from "../certificates/pem.js";
import type { Data } from "./keyed-data.js";

const isKey = ({ type }: PemBlock): boolean => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY");
const isCertificate = ({ type }: PemBlock): boolean => type === "CERTIFICATE";

/** What is told of a certificate and a key that do not serve together. */
export function* tlsWarnings(data: Data): Iterable<string> {
  const certificates = blocksOf(data["tls.crt"]);
  const certificate = certificates.find(isCertificate);
  if (certificate === undefined) {
    yield `tls: ${missingCertificate(certificates)}`;
    return;
  }
  const keys = blocksOf(data["tls.key"]);
  const key = keys.find(isKey);
  if (key === undefined) {
    yield `tls: ${missingKey(keys)}`;
    return;
  }
  const problem = mismatch(certificate, key);
  if (problem !== undefined) yield problem;
}

function blocksOf(value = ""): readonly PemBlock[] {
  return pemBlocks(Buffer.from(value, "base64").toString("latin1"));
}

function missingCertificate(skipped: readonly PemBlock[]): string {
  const [only, ...others] = skipped;
  if (only === undefined) return "failed to find any PEM data in certificate input";
  return others.length === 0 && isKey(only)
    ? "failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched"
    : `failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${typesOf(skipped)}`;
}

function missingKey(skipped: readonly PemBlock[]): string {
  const [only, ...others] = skipped;
  if (only === undefined) return "failed to find any PEM data in key input";
  return others.length === 0 && isCertificate(only)
    ? "found a certificate rather than a key in the PEM for the private key"
    : `failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${typesOf(skipped)}`;
}

function typesOf(blocks: readonly PemBlock[]): string {
  return `[${blocks.map(({ type }) => type).join(" ")}]`;
}

function mismatch(certificate: PemBlock, key: PemBlock): string | undefined {
  const owner = parsed(() => new X509Certificate(certificate.bytes).publicKey);
  if (owner === undefined) return "x509: malformed certificate";
  const own = parsed(() => createPublicKey(createPrivateKey(pemOf(key))));
  if (own === undefined) return "tls: failed to parse private key";
  if (own.asymmetricKeyType !== owner.asymmetricKeyType) return "tls: private key type does not match public key type";
  return own.equals(owner) ? undefined : "tls: private key does not match public key";
}

function pemOf({ type, bytes }: PemBlock): string {
  return `-----BEGIN ${type}-----\n${bytes.toString("base64")}\n-----END ${type}-----\n`;
}

function parsed(read: () => KeyObject): KeyObject | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
