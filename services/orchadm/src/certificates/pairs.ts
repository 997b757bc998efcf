import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { KeyPair } from "@orch/pki/key-pair.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Machine } from "../machine/machine.js";

const certificateMode = 0o644;
const keyMode = 0o600;

/** What lies of a certificate on disk. */
export interface Found {
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

export function findPair(machine: Machine, path: string): Found {
  const read = (file: string): string | undefined => (machine.exists(file) ? machine.read(file) : undefined);
  return { certificate: read(`${path}.crt`), key: read(`${path}.key`) };
}

export function writePair(machine: Machine, path: string, { certificate, key }: KeyPair): void {
  machine.write(`${path}.key`, key, { mode: keyMode });
  machine.write(`${path}.crt`, certificate, { mode: certificateMode });
}

/** What is wrong with an authority of somebody's. */
export function authorityProblem({
  certificate,
  key,
}: {
  readonly certificate: string;
  readonly key?: string | undefined;
}) {
  return problemOf(() => {
    const read = new X509Certificate(certificate);
    if (!read.ca) return "the certificate is not a CA certificate";
    if (key !== undefined && !read.checkPrivateKey(createPrivateKey(key)))
      return "the certificate and the key do not belong together";
    return undefined;
  });
}

export interface Expected {
  /** PEM of the authority. */
  readonly authority: string;
  readonly names: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What is wrong with a certificate that is to be used further. */
export function pairProblem({ certificate, key }: KeyPair, { authority, names, now }: Expected): string | undefined {
  return problemOf(() => {
    const read = new X509Certificate(certificate);
    if (!read.checkPrivateKey(createPrivateKey(key))) return "the certificate and the key do not belong together";
    if (!read.verify(new X509Certificate(authority).publicKey))
      return "the certificate is not signed by the corresponding CA";
    if (Date.parse(read.validFrom) > now) return "the certificate is not valid yet";
    if (Date.parse(read.validTo) < now) return "the certificate has expired";
    const missing = names.filter((name) => !isFor(read, name));
    return missing.length === 0 ? undefined : `certificate is not valid for ${missing.join(", ")}`;
  });
}

function problemOf(look: () => string | undefined): string | undefined {
  try {
    return look();
  } catch (error) {
    return messageOf(error);
  }
}

function isFor(certificate: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
  return certificate.checkHost(name.replace(/^\*\./, "any.")) !== undefined;
}
