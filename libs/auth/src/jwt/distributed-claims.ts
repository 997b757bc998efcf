import type { Evaluation } from "../expressions/token-expressions.js";
import { createInFlight } from "../in-flight.js";
import { isJsonObject, type JsonObject, memberOf } from "../json.js";
import { type After, within } from "../within.js";
import type { JwtIssuer } from "./authentication-config.js";

export interface TextRequest {
  readonly url: string;
  /** PEM; the system's authorities where absent. */
  readonly ca?: string;
  readonly timeoutMs: number;
  /** The whole header. */
  readonly authorization?: string;
}

/** GET over HTTPS without redirects; whoever does it bounds the answer's size (1 MiB) and refuses all but a 200. */
export type FetchText = (request: TextRequest) => Promise<string>;

/** Where a claim is to be had (OpenID Connect Core, 5.6.2). */
interface ClaimSource {
  readonly url: string;
  readonly accessToken: string;
}

export interface DistributedClaimDeps {
  readonly after: After;
  readonly fetchText: FetchText;
  /** The claims of a token that one of the issuers known to the server signed, in its time, for this server's audiences. */
  readonly verified: (token: string) => Promise<Evaluation<JsonObject>>;
}

/** Puts a claim that a verified token has elsewhere in its place; tokens that have none are given back as they are. */
export type ClaimResolver = (claims: JsonObject) => Evaluation<JsonObject> | Promise<Evaluation<JsonObject>>;

const timeoutMs = 10_000;

export function claimResolver(claim: string, issuer: JwtIssuer, deps: DistributedClaimDeps): ClaimResolver {
  // Of one source at a time: a client that asks much with one token does not make the source's work so.
  const inFlight = createInFlight<Evaluation<unknown>>();
  return (claims) => {
    const source = sourceOf(claims, claim);
    if (source === undefined) return { ok: true, value: claims };
    if (!source.ok) return source;
    const { url, accessToken } = source.value;
    const value = inFlight(JSON.stringify([url, accessToken]), () => fetched(claim, source.value, { issuer, ...deps }));
    return Promise.resolve(value).then((got) =>
      got.ok ? { ok: true, value: withClaim(claims, claim, got.value) } : got,
    );
  };
}

/** Undefined where the claim is there, or is nowhere. */
function sourceOf(claims: JsonObject, claim: string): Evaluation<ClaimSource> | undefined {
  if (Object.hasOwn(claims, claim) || !Object.hasOwn(claims, "_claim_names")) return undefined;
  const refuse = (why: string): Evaluation<ClaimSource> => ({ ok: false, why });
  const names = claims["_claim_names"];
  if (!isJsonObject(names)) return refuse("error parsing distributed claim names");
  const sources = memberOf(claims, "_claim_sources");
  if (sources === undefined) return refuse("no claim sources");
  if (!isJsonObject(sources)) return refuse("could not parse claim sources");
  const name = memberOf(names, claim);
  if (name === undefined) return undefined;
  const source = typeof name === "string" ? memberOf(sources, name) : undefined;
  if (!isJsonObject(source)) return refuse("the token names a source of claims that it does not have");
  const url = memberOf(source, "endpoint") ?? "";
  const accessToken = memberOf(source, "access_token") ?? "";
  if (typeof url !== "string" || typeof accessToken !== "string") return refuse("could not parse claim sources");
  // The claims themselves may stand there (`JWT`): such are passed over.
  if (url === "") return undefined;
  if (!URL.canParse(url) || new URL(url).protocol !== "https:") {
    return refuse("the endpoint of a distributed claim has no https address");
  }
  return { ok: true, value: { url, accessToken } };
}

async function fetched(
  claim: string,
  { url, accessToken }: ClaimSource,
  { issuer, after, fetchText, verified }: DistributedClaimDeps & { readonly issuer: JwtIssuer },
): Promise<Evaluation<unknown>> {
  const { certificateAuthority: ca } = issuer;
  const refuse = (why: string): Evaluation<unknown> => ({ ok: false, why: `distributed claim ${claim}: ${why}` });
  const request = {
    url,
    timeoutMs,
    ...(ca === undefined ? {} : { ca }),
    ...(accessToken === "" ? {} : { authorization: `Bearer ${accessToken}` }),
  };
  let token: string;
  try {
    const late = (): Error => new Error("no answer in time");
    token = (await within(fetchText(request), timeoutMs, { after, late })).trim();
  } catch {
    return refuse("its endpoint gave no token"); // its words may say again who asked
  }
  const claims = await verified(token);
  if (!claims.ok) return refuse(claims.why);
  const value = memberOf(claims.value, claim);
  return value === undefined ? refuse("the token of its endpoint does not have it") : { ok: true, value };
}

/** A claim may be named as the prototype is. */
const withClaim = (claims: JsonObject, claim: string, value: unknown): JsonObject =>
  Object.fromEntries([...Object.entries(claims), [claim, value]]);
