import { hash } from "node:crypto";
import type { Naming } from "@orch/naming/naming.js";
import { LRUCache } from "lru-cache";
import { andThen } from "../and-then.js";
import { noVerdict, type Verdict } from "../authenticator.js";
import { type JsonObject, memberOf } from "../json.js";
import { tokenDigest } from "../secrets.js";
import { ownAudience, type TokenAuthenticator } from "../token-authenticator.js";
import type { AuthenticationConfiguration, JwtConfiguration } from "./authentication-config.js";
import { userOf, validityOf } from "./claims.js";
import { type CompactToken, compactToken, decodeObject } from "./compact.js";
import { createIssuerKeys, type IssuerKeys, type IssuerKeysDeps } from "./issuer-keys.js";
import type { KeySet } from "./key-set.js";
import type { SigningAlgorithm } from "./signing-algorithms.js";

export interface JwtDeps extends Omit<IssuerKeysDeps, "fetched"> {
  readonly naming: Naming;
  readonly apiAudiences: readonly string[];
  readonly observer: JwtObserver;
  /** Longer tokens are refused unread; 16 KiB where absent. */
  readonly maxTokenLength?: number;
}

/** For metrics and the log. */
export interface JwtObserver {
  /** A token of a configured issuer whose verdict was not known yet; `issuerHash` is `sha256:` and hex. */
  authenticated(issuerHash: string, result: "success" | "failure", seconds: number): void;
  /** Keys were asked for; `problem` is absent where they came. */
  fetched(issuer: string, problem: string | undefined): void;
}

/** Takes the tokens of all issuers of a configuration (rules: Authentication configuration). */
export interface JwtAuthenticator extends TokenAuthenticator {
  /** Begins to fetch keys. Until those of an issuer have come its tokens are refused. */
  start(): void;
  /** Fetches no more; what is known goes on to count. */
  stop(): void;
  /** Which issuers were never reached and why; undefined where all were. */
  health(): string | undefined;
}

interface Issuer {
  readonly configuration: JwtConfiguration;
  readonly keys: IssuerKeys;
  readonly hash: string;
}

interface Known {
  readonly verdict: Verdict;
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly issuer: Issuer;
  /** Those that vouched for it. */
  readonly keys: KeySet;
}

const defaultMaxTokenLength = 16 * 1024;
/** A verdict is kept no longer, even where the token holds longer. */
const verdictMs = 2 * 60_000;
const maxVerdicts = 10_000;
/** Of tokens, whose claims the verdicts hold. */
const maxVerdictChars = 16 * 1024 * 1024;

const tooLong: Verdict = { outcome: "deny", why: "oidc: the token is too long" };

export function createJwtAuthenticator(configuration: AuthenticationConfiguration, deps: JwtDeps): JwtAuthenticator {
  const { naming, now, observer } = deps;
  const maxTokenLength = deps.maxTokenLength ?? defaultMaxTokenLength;
  const issuers = new Map(configuration.jwt.map((each) => [each.issuer.url, createIssuer(each, deps)]));
  // By the token's digest.
  const verdicts = new LRUCache<string, Known>({ max: maxVerdicts, maxSize: maxVerdictChars });

  const known = (id: string): Verdict | undefined => {
    const found = verdicts.get(id);
    if (found === undefined) return undefined;
    if (now() <= found.until && found.keys === found.issuer.keys.current()) return found.verdict;
    verdicts.delete(id);
    return undefined;
  };

  const judge = (token: string, parts: CompactToken): Decision | Promise<Decision> | undefined => {
    const claims = decodeObject(parts.payload);
    const issuer = claims === undefined ? undefined : issuers.get(issuerOf(claims));
    if (claims === undefined || issuer === undefined) return undefined;
    const started = now();
    const told = (decision: Decision): Decision => {
      const seconds = Math.max(0, now() - started) / 1000;
      observer.authenticated(issuer.hash, decision.verdict.outcome === "allow" ? "success" : "failure", seconds);
      return decision;
    };
    const checks = { algorithms: configuration.signingAlgorithms, naming, now: started };
    return andThen(decide({ token, header: parts.header, claims, issuer }, checks), told);
  };

  const keep = (id: string, size: number, { verdict, proof }: Decision): Verdict => {
    if (proof !== undefined) {
      const until = Math.min(proof.until, now() + verdictMs);
      verdicts.set(id, { verdict, until, issuer: proof.issuer, keys: proof.keys }, { size });
    }
    return verdict;
  };

  const authenticate = (token: string): Verdict | Promise<Verdict> => {
    if (token.length > maxTokenLength) return tooLong;
    const parts = compactToken(token);
    if (parts === undefined) return noVerdict;
    const id = tokenDigest(token);
    const before = known(id);
    if (before !== undefined) return before;
    const decision = judge(token, parts);
    if (decision === undefined) return noVerdict;
    return andThen(decision, (made) => keep(id, token.length, made));
  };

  const all = [...issuers.values()];
  return {
    ...ownAudience(authenticate, deps.apiAudiences),
    start: () => all.forEach(({ keys }) => void keys.start()),
    stop: () => all.forEach(({ keys }) => void keys.stop()),
    health() {
      const problems = all.flatMap(({ configuration: { issuer }, keys }) => {
        const problem = keys.health();
        return problem === undefined
          ? []
          : [`oidc: authenticator for issuer "${issuer.url}" is not healthy: ${problem}`];
      });
      return problems.length === 0 ? undefined : problems.join("; ");
    },
  };
}

function createIssuer(configuration: JwtConfiguration, deps: JwtDeps): Issuer {
  const { url } = configuration.issuer;
  const fetched = (problem: string | undefined): void => deps.observer.fetched(url, problem);
  return {
    configuration,
    keys: createIssuerKeys(configuration.issuer, { ...deps, fetched }),
    hash: `sha256:${hash("sha256", url)}`,
  };
}

/** One issuer names itself in two ways (OpenID Connect Core, 15.6.2). */
const shortIssuers: ReadonlyMap<unknown, string> = new Map([["accounts.google.com", "https://accounts.google.com"]]);

function issuerOf(claims: JsonObject): string {
  const issuer = memberOf(claims, "iss");
  return shortIssuers.get(issuer) ?? (typeof issuer === "string" ? issuer : "");
}

interface Presented {
  readonly token: string;
  readonly header: string;
  /** Not to be trusted before the signature is verified. */
  readonly claims: JsonObject;
  readonly issuer: Issuer;
}

interface Checks {
  readonly algorithms: readonly SigningAlgorithm[];
  readonly naming: Naming;
  readonly now: number;
}

interface Decision {
  readonly verdict: Verdict;
  /** Of a token that is allowed. */
  readonly proof?: { readonly issuer: Issuer; readonly keys: KeySet; readonly until: number };
}

const deny = (why: string): Decision => ({ verdict: { outcome: "deny", why: `oidc: ${why}` } });

/** What is cheap comes before the signature, and before keys are fetched for it. */
function decide(presented: Presented, checks: Checks): Decision | Promise<Decision> {
  const { issuer, claims } = presented;
  const keys = issuer.keys.current();
  if (keys === undefined) {
    void issuer.keys.renewed();
    return deny("authenticator not initialized");
  }
  const header = decodeObject(presented.header);
  if (header === undefined) return deny("the token's header cannot be read");
  // Nothing that is critical is understood; an embedded key (jwk, jku, x5c, x5u) is never looked at.
  if (Object.hasOwn(header, "crit") || Object.hasOwn(header, "b64")) return deny("the token has critical extensions");
  const algorithm = checks.algorithms.find((each) => each === header["alg"]);
  if (algorithm === undefined) return deny("the token is signed with an algorithm that is not allowed");
  const keyID = memberOf(header, "kid") ?? "";
  if (typeof keyID !== "string") return deny("the token's kid is no text");
  const validity = validityOf(claims, issuer.configuration.issuer.audiences, checks.now);
  if (!validity.ok) return deny(`the token ${validity.why}`);
  return verified(presented, { algorithm, keyID, keys }).then((vouching): Decision => {
    if (vouching === undefined) return deny("no key of the issuer made the token's signature");
    const verdict = userOf(claims, issuer.configuration, checks.naming);
    if (verdict.outcome !== "allow") return { verdict };
    return { verdict, proof: { issuer, keys: vouching, until: validity.until } };
  });
}

/** The keys that vouch for a token: those that are known, else those that the issuer has now. */
async function verified(
  { token, issuer }: Presented,
  { keys, ...by }: { algorithm: SigningAlgorithm; keyID: string; keys: KeySet },
): Promise<KeySet | undefined> {
  if (await keys.verify(token, by)) return keys;
  const renewed = await issuer.keys.renewed();
  if (renewed === undefined || renewed === keys) return undefined;
  return (await renewed.verify(token, by)) ? renewed : undefined;
}
