import { X509Certificate } from "node:crypto";
import type { Naming } from "@orch/naming/naming.js";
import { LRUCache } from "lru-cache";
import { type Authenticator, type ClientCertificate, noVerdict, type Verdict } from "./authenticator.js";
import type { Parsed } from "./parsed.js";
import { authenticatedUser } from "./user.js";

/** The subject as Node's TLS layer gives it: a name that occurs several times is a list. */
export interface Subject {
  readonly CN?: string | readonly string[];
  readonly O?: string | readonly string[];
}

/** The certificates of a bundle (`--client-ca-file`); the file may change while the process runs. */
export interface CertificateBundle {
  /** By SHA-256, `AB:CD:…`. */
  has(fingerprint: string): boolean;
}

/** The certificates of a PEM text. */
export function certificateBundle(pem: string): Parsed<CertificateBundle> {
  const fingerprints = new Set<string>();
  const problems: string[] = [];
  for (const [i, block] of (pem.match(pemBlock) ?? []).entries()) {
    try {
      fingerprints.add(new X509Certificate(block).fingerprint256);
    } catch {
      problems.push(`certificate ${i + 1} cannot be read`);
    }
  }
  if (fingerprints.size === 0 && problems.length === 0) problems.push("there is no certificate");
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: fingerprints };
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** A certificate as node's TLS layer gives it, with the one that it found for its issuer. */
export interface ChainLink {
  readonly raw: Buffer;
  readonly issuerCertificate?: ChainLink | undefined;
}

/** Longer chains the TLS layer would not take. */
const longestChain = 10;

/**
 * Fingerprints of a chain, the leaf's first, as far as each certificate did sign the one before: the TLS layer finds
 * issuers by name alone, and what a client sends along may have the name of any.
 */
export function chainFingerprints(leaf: ChainLink): readonly string[] {
  let below = new X509Certificate(leaf.raw);
  const chain = [below.fingerprint256];
  for (
    let link = leaf.issuerCertificate;
    link !== undefined && chain.length < longestChain;
    link = link.issuerCertificate
  ) {
    const above = new X509Certificate(link.raw);
    if (chain.includes(above.fingerprint256) || !above.ca || !below.verify(above.publicKey)) break;
    chain.push(above.fingerprint256);
    below = above;
  }
  return chain;
}

/**
 * Chains of verified certificates. A resumed session knows its leaf alone: the chain is then the one of the handshake
 * before. `most` are remembered.
 */
export function createChains(most = 10_000): (leaf: ChainLink) => readonly string[] {
  const known = new LRUCache<string, readonly string[]>({ max: most });
  return (leaf) => {
    const chain = chainFingerprints(leaf);
    const [print = ""] = chain;
    const before = known.get(print);
    if (before !== undefined && before.length > chain.length) return before;
    known.set(print, chain);
    return chain;
  };
}

/** Takes what is needed of a peer's certificate; undefined where the client sent none. */
export function clientCertificate(
  subject: Subject | undefined,
  rest: Pick<ClientCertificate, "verified" | "notAfter" | "chain">,
): ClientCertificate | undefined {
  if (subject === undefined) return undefined;
  // Of several names the last counts, as it does for the reference.
  return { commonName: listOf(subject.CN).at(-1) ?? "", organizations: listOf(subject.O), ...rest };
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

export interface CertificateDeps {
  readonly naming: Naming;
  /** The authorities of clients; those of front proxies vouch for proxies alone. */
  readonly authorities: CertificateBundle;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The common name is the user, the organisations are the groups; worked out once for a connection. */
export function certificateAuthenticator({ naming, authorities, now }: CertificateDeps): Authenticator {
  const users = new WeakMap<ClientCertificate, Verdict>();
  return {
    authenticate({ certificate }) {
      if (certificate === undefined) return noVerdict;
      if (!isTrusted(certificate, authorities, now())) return foreign;
      const known = users.get(certificate);
      if (known !== undefined) return known;
      const { commonName: name, organizations: groups } = certificate;
      const verdict: Verdict =
        name === "" ? noVerdict : { outcome: "allow", user: authenticatedUser(naming, { name, groups }) };
      users.set(certificate, verdict);
      return verdict;
    },
  };
}

const foreign: Verdict = {
  outcome: "deny",
  why: "the client's certificate is not signed by the client CA or not in its time",
};

/** Whether a certificate was verified, has not expired since, and ends in one of these authorities. */
export function isTrusted(certificate: ClientCertificate, authorities: CertificateBundle, now: number): boolean {
  return certificate.verified && now <= certificate.notAfter && certificate.chain.some((one) => authorities.has(one));
}
