import { hash } from "node:crypto";
import type { Naming } from "@orch/naming/naming.js";
import { LRUCache } from "lru-cache";
import { andThen } from "../and-then.js";
import { noVerdict, type Verdict } from "../authenticator.js";
import { type JsonObject, memberOf } from "../json.js";
import { tokenDigest } from "../secrets.js";
import { ownAudience, type TokenAuthenticator } from "../token-authenticator.js";
import type { AuthenticationConfiguration, JwtConfiguration } from "./authentication-config.js";
import { userOf } from "./claims.js";
import { type CompactToken, compactToken, decodeObject } from "./compact.js";
import { type ClaimResolver, claimResolver, type FetchText } from "./distributed-claims.js";
import { createForeignIssuers } from "./foreign-issuers.js";
import { createIssuerKeys, type IssuerKeys, type IssuerKeysDeps } from "./issuer-keys.js";
import type { KeySet } from "./key-set.js";
import type { SigningAlgorithm } from "./signing-algorithms.js";
import { type Presented, vouch } from "./vouch.js";

export interface JwtDeps extends Omit<IssuerKeysDeps, "fetched"> {
  readonly naming: Naming;
  readonly apiAudiences: readonly string[];
  readonly observer: JwtObserver;
  /** For claims that are had elsewhere. */
  readonly fetchText: FetchText;
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
  readonly resolve: ClaimResolver;
  readonly stop: () => void;
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
  const issuers = new Map(
    configuration.jwt.map((each) => [each.issuer.url, createIssuer(each, configuration.signingAlgorithms, deps)]),
  );
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
    stop: () => all.forEach(({ stop }) => void stop()),
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

function createIssuer(configuration: JwtConfiguration, algorithms: readonly SigningAlgorithm[], deps: JwtDeps): Issuer {
  const { issuer, claimMappings } = configuration;
  const { groups } = claimMappings;
  const fetched = (problem: string | undefined): void => deps.observer.fetched(issuer.url, problem);
  const keys = createIssuerKeys(issuer, { ...deps, fetched });
  const foreign = createForeignIssuers({ issuer, keys, algorithms }, deps);
  // The claim of groups alone may be elsewhere, as with the reference: it is the one that grows too large for a token.
  const resolve: ClaimResolver =
    groups !== undefined && "claim" in groups
      ? claimResolver(groups.claim, issuer, { ...deps, verified: foreign.verified })
      : (claims) => ({ ok: true, value: claims });
  return {
    configuration,
    keys,
    hash: `sha256:${hash("sha256", issuer.url)}`,
    resolve,
    stop() {
      keys.stop();
      foreign.stop();
    },
  };
}

/** One issuer names itself in two ways (OpenID Connect Core, 15.6.2). */
const shortIssuers: ReadonlyMap<unknown, string> = new Map([["accounts.google.com", "https://accounts.google.com"]]);

function issuerOf(claims: JsonObject): string {
  const issuer = memberOf(claims, "iss");
  return shortIssuers.get(issuer) ?? (typeof issuer === "string" ? issuer : "");
}

interface Decision {
  readonly verdict: Verdict;
  /** Of a token that is allowed. */
  readonly proof?: { readonly issuer: Issuer; readonly keys: KeySet; readonly until: number };
}

const deny = (why: string): Decision => ({ verdict: { outcome: "deny", why: `oidc: ${why}` } });

interface Checks {
  readonly algorithms: readonly SigningAlgorithm[];
  readonly naming: Naming;
  readonly now: number;
}

function decide(
  { issuer, ...presented }: Omit<Presented, "keys" | "audiences"> & { readonly issuer: Issuer },
  { naming, ...checks }: Checks,
): Decision | Promise<Decision> {
  const { configuration, keys, resolve } = issuer;
  const vouched = vouch({ ...presented, keys, audiences: configuration.issuer.audiences }, checks);
  return andThen(vouched, (voucher) => {
    if (!voucher.ok) return deny(voucher.why);
    return andThen(resolve(presented.claims), (claims): Decision => {
      if (!claims.ok) return deny(`could not expand distributed claims: ${claims.why}`);
      const verdict = userOf(claims.value, configuration, naming);
      if (verdict.outcome !== "allow") return { verdict };
      return { verdict, proof: { issuer, keys: voucher.keys, until: voucher.until } };
    });
  });
}
