import type { Naming } from "@orch/naming/naming.js";
import { type Authenticator, type ClientCertificate, noVerdict, type Verdict } from "./authenticator.js";
import { authenticatedUser } from "./user.js";

/** The subject as Node's TLS layer gives it: a name that occurs several times is a list. */
export interface Subject {
  readonly CN?: string | readonly string[];
  readonly O?: string | readonly string[];
}

/** Takes what is needed of a peer's certificate; undefined where the client sent none. */
export function clientCertificate(subject: Subject | undefined, verified: boolean): ClientCertificate | undefined {
  if (subject === undefined) return undefined;
  return { commonName: listOf(subject.CN)[0] ?? "", organizations: listOf(subject.O), verified };
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

/** The common name is the user, the organisations are the groups; worked out once for a connection. */
export function certificateAuthenticator(naming: Naming): Authenticator {
  const verdicts = new WeakMap<ClientCertificate, Verdict>();
  return {
    authenticate({ certificate }) {
      if (certificate === undefined) return noVerdict;
      const known = verdicts.get(certificate);
      if (known !== undefined) return known;
      const verdict = verdictOn(certificate, naming);
      verdicts.set(certificate, verdict);
      return verdict;
    },
  };
}

function verdictOn({ commonName, organizations, verified }: ClientCertificate, naming: Naming): Verdict {
  if (!verified)
    return { outcome: "deny", why: "the client's certificate is not signed by the client CA or not in its time" };
  if (commonName === "") return noVerdict;
  return { outcome: "allow", user: authenticatedUser(naming, { name: commonName, groups: organizations }) };
}
