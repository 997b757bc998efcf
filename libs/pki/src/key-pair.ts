import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";

/** A certificate and its private key (PKCS #8), both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Certificates with less time left are made anew at the next start. */
const renewWithinDays = 30;
const dayMs = 24 * 3600 * 1000;

/** Whether a pair belongs together, is signed by the authority and has time left. */
export function isUsable(pair: KeyPair, authority: KeyPair, now: number): boolean {
  try {
    const certificate = new X509Certificate(pair.certificate);
    return (
      certificate.checkPrivateKey(createPrivateKey(pair.key)) &&
      certificate.verify(new X509Certificate(authority.certificate).publicKey) &&
      Date.parse(certificate.validTo) - now > renewWithinDays * dayMs &&
      Date.parse(certificate.validFrom) <= now
    );
  } catch {
    return false; // unreadable: made anew like an expired one
  }
}

/** Whether a serving certificate is for these names, all of them and no other. */
export function isFor(pair: KeyPair, names: readonly string[]): boolean {
  const certificate = new X509Certificate(pair.certificate);
  const count = certificate.subjectAltName?.split(", ").length ?? 0;
  const has = (name: string): boolean =>
    (isIP(name) === 0
      ? certificate.checkHost(name.replace(/^\*\./, "any."), { partialWildcards: false })
      : certificate.checkIP(name)) !== undefined;
  return count === names.length && names.every(has);
}
