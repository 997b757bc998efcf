import type { Span } from "@orch/status/span.js";
import type { UserInfo } from "./user.js";

/** Headers of a request by their names in lower case, each with all its values. */
export type HeaderMap = Readonly<Record<string, readonly string[] | undefined>>;

/** What a request shows of its sender, taken from the connection and the headers. */
export interface Credentials {
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** The client's certificate. Give the same object for every request of a connection: verdicts are kept by it. */
  readonly certificate: ClientCertificate | undefined;
  /** In which a front proxy tells whom it has authenticated. */
  readonly headers: HeaderMap;
  /** Who sends it, of a client in the server's own process: not from the request, but from whoever made the client. */
  readonly local?: UserInfo | undefined;
  /** What the question is part of, where that is traced. */
  readonly span?: Span | undefined;
}

/** The subject of a client certificate whose chain the TLS layer has looked at. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Whether the chain ends in one of the authorities that the TLS layer knows, and was in its time. */
  readonly verified: boolean;
  /** Of the leaf: milliseconds since 1970. A connection may outlive its certificate. */
  readonly notAfter: number;
  /** SHA-256 of each certificate of the chain, the root included, as node prints them: `AB:CD:…`. */
  readonly chain: readonly string[];
}

export type Verdict =
  | {
      readonly outcome: "allow";
      readonly user: UserInfo;
      /** Of a token: those that it was asked for and is meant for. */
      readonly audiences?: readonly string[];
    }
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
  return {
    authenticate: (credentials) => firstAllowing(authenticators, (one) => one.authenticate(credentials)),
  };
}

/** Asks one after the other until one allows. */
export function firstAllowing<T>(
  all: readonly T[],
  ask: (one: T) => Verdict | Promise<Verdict>,
): Verdict | Promise<Verdict> {
  const from = (start: number, before: Verdict): Verdict | Promise<Verdict> => {
    let verdict = before;
    for (let i = start; i < all.length; i++) {
      const one = all[i];
      if (one === undefined) continue;
      const next = ask(one);
      if (next instanceof Promise) {
        const soFar = verdict;
        return next.then((v) => (v.outcome === "allow" ? v : from(i + 1, worse(soFar, v))));
      }
      if (next.outcome === "allow") return next;
      verdict = worse(verdict, next);
    }
    return verdict;
  };
  return from(0, noVerdict);
}

const worse = (before: Verdict, next: Verdict): Verdict => (next.outcome === "none" ? before : next);
