import { LRUCache } from "lru-cache";
import type { Evaluation } from "../expressions/token-expressions.js";
import { type JsonObject, memberOf } from "../json.js";
import type { JwtIssuer } from "./authentication-config.js";
import { compactToken, decodeObject } from "./compact.js";
import { createIssuerKeys, type IssuerKeys, type IssuerKeysDeps } from "./issuer-keys.js";
import type { SigningAlgorithm } from "./signing-algorithms.js";
import { vouch } from "./vouch.js";

/** Issuers of claims that a configured issuer's tokens have elsewhere: itself, and whoever its sources are. */
export interface ForeignIssuers {
  /** The claims of a token of theirs, if it is good. Waits for the keys of an issuer that is met for the first time. */
  verified(token: string): Promise<Evaluation<JsonObject>>;
  stop(): void;
}

/** Others that an issuer sends us to at a time: what it may make us fetch in the background is bounded. */
const maxIssuers = 16;

export function createForeignIssuers(
  own: { readonly issuer: JwtIssuer; readonly keys: IssuerKeys; readonly algorithms: readonly SigningAlgorithm[] },
  deps: Omit<IssuerKeysDeps, "fetched">,
): ForeignIssuers {
  const { certificateAuthority, audiences } = own.issuer;
  const known = new LRUCache<string, IssuerKeys>({ max: maxIssuers, dispose: (keys) => keys.stop() });

  const keysOf = async (url: string): Promise<IssuerKeys | undefined> => {
    if (url === own.issuer.url) return own.keys;
    if (!URL.canParse(url) || new URL(url).protocol !== "https:") return undefined;
    const before = known.get(url);
    if (before !== undefined) return before;
    const issuer = { url, audiences, ...(certificateAuthority === undefined ? {} : { certificateAuthority }) };
    const keys = createIssuerKeys(issuer, { ...deps, fetched: () => {} });
    known.set(url, keys);
    keys.start();
    await keys.renewed();
    return keys;
  };

  return {
    async verified(token) {
      const refuse = (why: string): Evaluation<JsonObject> => ({ ok: false, why });
      const parts = compactToken(token);
      const claims = parts === undefined ? undefined : decodeObject(parts.payload);
      if (parts === undefined || claims === undefined) return refuse("its endpoint gave no token");
      const url = memberOf(claims, "iss");
      const keys = typeof url === "string" ? await keysOf(url) : undefined;
      if (keys === undefined) return refuse("the token of its endpoint has no issuer with an https address");
      const checks = { algorithms: own.algorithms, now: deps.now() };
      const voucher = await vouch({ token, header: parts.header, claims, keys, audiences }, checks);
      return voucher.ok ? { ok: true, value: claims } : refuse(`of its endpoint, ${voucher.why}`);
    },
    stop: () => known.clear(),
  };
}
