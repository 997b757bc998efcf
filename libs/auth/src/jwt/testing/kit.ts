import { createNaming } from "@orch/naming/naming.js";
import { createManualClock, type ManualClock, settled } from "@orch/status/testing/manual-clock.js";
import type { Verdict } from "../../authenticator.js";
import type { AuthenticationConfiguration, JwtConfiguration } from "../authentication-config.js";
import type { FetchText } from "../distributed-claims.js";
import { createJwtAuthenticator, type JwtAuthenticator } from "../jwt-authenticator.js";
import { signingAlgorithms } from "../signing-algorithms.js";
import { configurationOf, type FakeIssuer } from "./fake-issuer.js";

/** Noon of some day, in milliseconds and as claims have it. */
export const noon = 1_700_000_000_000;
export const noonSeconds = noon / 1000;

export interface Kit {
  readonly clock: ManualClock;
  readonly jwt: JwtAuthenticator;
  /** What the observer was told, a line each. */
  readonly told: string[];
  /** `allow alice[dev,ops]`, `none`, or `deny` and why. */
  ask(token: string): Promise<string>;
}

export interface KitOptions {
  readonly configurations?: readonly JwtConfiguration[];
  readonly algorithms?: AuthenticationConfiguration["signingAlgorithms"];
  readonly apiAudiences?: readonly string[];
  readonly maxTokenLength?: number;
  readonly fetchText?: FetchText;
}

/** An authenticator for issuers that has begun to fetch their keys. */
export async function startedKit(issuers: readonly FakeIssuer[], options: KitOptions = {}): Promise<Kit> {
  const clock = createManualClock(noon);
  const told: string[] = [];
  const { configurations = issuers.map(({ url }) => configurationOf(url)), apiAudiences = ["api"] } = options;
  const jwt = createJwtAuthenticator(
    { jwt: configurations, signingAlgorithms: options.algorithms ?? signingAlgorithms },
    {
      naming: createNaming("kubernetes"),
      apiAudiences,
      now: clock.now,
      after: clock.after,
      fetchJson: (request) => {
        const issuer = issuers.find(({ url, documents }) => request.url.startsWith(url) || documents.has(request.url));
        if (issuer === undefined) throw new Error("no such host");
        return issuer.fetchJson(request);
      },
      fetchText: options.fetchText ?? (() => Promise.reject(new Error("no such host"))),
      observer: {
        authenticated: (hash, result, seconds) => told.push(`${hash} ${result} ${seconds}`),
        fetched: (issuer, problem) => told.push(`${issuer} ${problem ?? "ok"}`),
      },
      ...(options.maxTokenLength === undefined ? {} : { maxTokenLength: options.maxTokenLength }),
    },
  );
  jwt.start();
  await settled();
  return {
    clock,
    jwt,
    told,
    ask: async (token) => shown(await jwt.authenticateToken(token, apiAudiences)),
  };
}

export function shown(verdict: Verdict): string {
  if (verdict.outcome === "none") return "none";
  if (verdict.outcome === "deny") return `deny ${verdict.why}`;
  const groups = verdict.user.groups.filter((each) => each !== "system:authenticated");
  return `allow ${verdict.user.name}[${groups.join(",")}]`;
}
