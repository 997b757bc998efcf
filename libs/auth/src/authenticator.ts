import type { UserInfo } from "./user.js";

/** What a request shows of its sender, taken from the connection and the headers. */
export interface Credentials {
  /** The `Authorization` header. */
  readonly authorization?: string;
  /** The client's certificate. Give the same object for every request of a connection: verdicts are kept by it. */
  readonly certificate?: ClientCertificate;
}

/** The subject of a client certificate whose chain the TLS layer has looked at. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Whether the chain ends in the client CA and the certificate is in its time. */
  readonly verified: boolean;
}

export type Verdict =
  | { readonly outcome: "allow"; readonly user: UserInfo }
  /** These credentials are not of this authenticator's sort; another may know them. */
  | { readonly outcome: "none" }
  /** They are of its sort and wrong. `why` is for the log: the client learns `Unauthorized` and no more. */
  | { readonly outcome: "deny"; readonly why: string };

/** Answers at once where it can: a promise on the path of every request costs more than the answer. */
export interface Authenticator {
  authenticate(credentials: Credentials): Verdict | Promise<Verdict>;
}

export const noVerdict: Verdict = { outcome: "none" };

/**
 * The first authenticator that allows, else the last denial, else none. A denial does not end the search: a good
 * token counts beside a certificate of a foreign CA.
 */
export function anyOf(authenticators: readonly Authenticator[]): Authenticator {
  const from = (start: number, credentials: Credentials, before: Verdict): Verdict | Promise<Verdict> => {
    let verdict = before;
    for (let i = start; i < authenticators.length; i++) {
      const next = authenticators[i]?.authenticate(credentials) ?? noVerdict;
      if (next instanceof Promise) {
        const soFar = verdict;
        return next.then((v) => (v.outcome === "allow" ? v : from(i + 1, credentials, worse(soFar, v))));
      }
      if (next.outcome === "allow") return next;
      verdict = worse(verdict, next);
    }
    return verdict;
  };
  return { authenticate: (credentials) => from(0, credentials, noVerdict) };
}

const worse = (before: Verdict, next: Verdict): Verdict => (next.outcome === "none" ? before : next);

/** Requests without credentials become `user`; wrong credentials stay denied. */
export function orAnonymous(authenticator: Authenticator, user: UserInfo): Authenticator {
  const anonymous: Verdict = { outcome: "allow", user };
  const settle = (verdict: Verdict): Verdict => (verdict.outcome === "none" ? anonymous : verdict);
  return {
    authenticate(credentials) {
      const verdict = authenticator.authenticate(credentials);
      return verdict instanceof Promise ? verdict.then(settle) : settle(verdict);
    },
  };
}
