import type { Span } from "@orch/status/span.js";
import { andThen } from "./and-then.js";
import { type Authenticator, firstAllowing, noVerdict, type Verdict } from "./authenticator.js";

/** Whoever knows bearer tokens of one sort: the requests of clients and TokenReviews ask it. */
export interface TokenAuthenticator {
  /**
   * `audiences`: whom the token must be meant for, at least one of them. A verdict of `allow` names those that it is
   * meant for; `none`: the token is not of this sort. `span` is what the question is part of, where that is traced.
   */
  authenticateToken(token: string, audiences: readonly string[], span?: Span): Verdict | Promise<Verdict>;
}

/** The first that allows, as with authenticators. */
export function anyToken(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    authenticateToken: (token, audiences, span) =>
      firstAllowing(authenticators, (one) => one.authenticateToken(token, audiences, span)),
  };
}

/**
 * Tokens that say nothing of audiences are meant for this server: for its own audiences and no other. Without
 * audiences of its own the server takes them for whomever.
 */
export function ownAudience(
  known: (token: string) => Verdict | Promise<Verdict>,
  apiAudiences: readonly string[],
): TokenAuthenticator {
  const fitting = (asked: readonly string[]): readonly string[] =>
    apiAudiences.length === 0 ? asked : asked.filter((each) => apiAudiences.includes(each));
  const forNobody = (): Verdict => noVerdict;
  const answerFor = (asked: readonly string[]): Answer => {
    const audiences = fitting(asked);
    if (audiences.length === 0 && asked.length > 0) return forNobody;
    const told = (verdict: Verdict): Verdict =>
      verdict.outcome === "allow" ? { outcome: "allow", user: verdict.user, audiences } : verdict;
    return (token) => andThen(known(token), told);
  };
  // Requests all ask for the server's own, one list.
  let last: { readonly asked: readonly string[]; readonly answer: Answer } | undefined;
  return {
    authenticateToken(token, asked) {
      if (last?.asked !== asked) last = { asked, answer: answerFor(asked) };
      return last.answer(token);
    },
  };
}

type Answer = (token: string) => Verdict | Promise<Verdict>;

const wrongToken: Verdict = { outcome: "deny", why: "a bearer token that nobody knows" };

/** Bearer tokens of requests, which are to be meant for the server's own audiences. One that nobody knows is wrong. */
export function bearerAuthenticator(tokens: TokenAuthenticator, apiAudiences: readonly string[]): Authenticator {
  const orWrong = (verdict: Verdict): Verdict => (verdict.outcome === "none" ? wrongToken : verdict);
  return {
    authenticate({ authorization, span }) {
      const token = authorization === undefined ? undefined : bearerToken(authorization);
      if (token === undefined) return noVerdict;
      return andThen(tokens.authenticateToken(token, apiAudiences, span), orWrong);
    },
  };
}

/** The token of `Bearer <token>`; undefined for other schemes and an empty token. */
export function bearerToken(authorization: string): string | undefined {
  if (authorization.charCodeAt(6) !== 0x20 || authorization.slice(0, 6).toLowerCase() !== "bearer") return undefined;
  const token = authorization.slice(7).trim();
  return token === "" ? undefined : token;
}
