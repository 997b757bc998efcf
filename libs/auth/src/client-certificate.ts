import type { Naming } from "@orch/naming/naming.js";
import { type Authenticator, type ClientCertificate, noVerdict, type Verdict } from "./authenticator.js";
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

/** Takes what is needed of a peer's certificate; undefined where the client sent none. */
export function clientCertificate(
  subject: Subject | undefined,
  rest: Pick<ClientCertificate, "verified" | "notAfter" | "chain">,
): ClientCertificate | undefined {
  if (subject === undefined) return undefined;
  return { commonName: listOf(subject.CN)[0] ?? "", organizations: listOf(subject.O), ...rest };
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
