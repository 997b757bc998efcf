import type { Naming } from "@orch/naming/naming.js";
import { isJsonObject, type JsonObject } from "../json.js";
import { serviceAccountUser } from "../service-account-name.js";
import type { AccountIdentity, Reference } from "./names.js";

/** What a verified payload says, whatever sort of token it is of. Times are seconds since 1970. */
export interface CommonClaims {
  readonly issuer: string;
  readonly subject: string;
  /** Empty where it says nothing. */
  readonly audiences: readonly string[];
  readonly expires: number | undefined;
  readonly notBefore: number | undefined;
  readonly issuedAt: number | undefined;
}

export interface BoundClaims extends CommonClaims {
  readonly sort: "bound";
  readonly identity: AccountIdentity;
  readonly secret: Reference | undefined;
  /** Past it, the token lives on only because its time was extended. */
  readonly warnAfter: number | undefined;
}

/** Of a token that a Secret holds. */
export interface LegacyClaims extends CommonClaims {
  readonly sort: "legacy";
  readonly identity: AccountIdentity;
  /** Name of the Secret. */
  readonly secret: string;
}

export type Claims = BoundClaims | LegacyClaims;

export type ReadClaims = { readonly ok: true; readonly claims: Claims } | { readonly ok: false; readonly why: string };

/** The issuer of tokens that Secrets hold. */
export function legacyIssuer(naming: Naming): string {
  return `${naming.word("orch")}/serviceaccount`;
}

/** Names of the claims of tokens that Secrets hold. */
function legacyNames(naming: Naming) {
  const at = (name: string): string => naming.key(`serviceaccount/${name}`);
  return {
    namespace: at("namespace"),
    secret: at("secret.name"),
    name: at("service-account.name"),
    uid: at("service-account.uid"),
  };
}

/** The object that a bound token is bound to, if any. */
export interface BoundTo {
  readonly kind: "Pod" | "Secret" | "Node";
  readonly name: string;
  readonly uid: string;
}

export interface Issued {
  readonly namespace: string;
  readonly serviceAccount: Reference;
  readonly bound?: BoundTo | undefined;
  /** That the bound pod runs on; without a uid where there is no such node. */
  readonly node?: Reference | undefined;
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly warnAfterSeconds?: number | undefined;
}

/** The payload of a bound token, issued at `now` (seconds since 1970). */
export function boundPayload(naming: Naming, issued: Issued, now: number): object {
  const { namespace, serviceAccount, bound, audiences, seconds, warnAfterSeconds } = issued;
  const node = bound?.kind === "Node" ? bound : issued.node;
  const ref = ({ name, uid }: Reference): object => (uid === "" ? { name } : { name, uid });
  return {
    ...(audiences.length === 0 ? {} : { aud: audiences }),
    exp: now + seconds,
    iat: now,
    [naming.keyDomain]: {
      namespace,
      ...(node === undefined ? {} : { node: ref(node) }),
      ...(bound?.kind === "Pod" ? { pod: ref(bound) } : {}),
      ...(bound?.kind === "Secret" ? { secret: ref(bound) } : {}),
      serviceaccount: ref(serviceAccount),
      ...(warnAfterSeconds === undefined ? {} : { warnafter: now + warnAfterSeconds }),
    },
    nbf: now,
    sub: serviceAccountUser({ namespace, name: serviceAccount.name }),
  };
}

/** The payload of a token that lives in a Secret. */
export function legacyPayload(
  naming: Naming,
  of: { readonly namespace: string; readonly serviceAccount: Reference; readonly secret: string },
): object {
  const names = legacyNames(naming);
  return {
    [names.namespace]: of.namespace,
    [names.secret]: of.secret,
    [names.name]: of.serviceAccount.name,
    [names.uid]: of.serviceAccount.uid,
    sub: serviceAccountUser({ namespace: of.namespace, name: of.serviceAccount.name }),
  };
}

/** Reads a verified payload of one of the two sorts: nothing in it is taken for granted. */
export function readClaims(naming: Naming, payload: JsonObject, sort: Claims["sort"]): ReadClaims {
  try {
    const common = readCommon(payload);
    return {
      ok: true,
      claims: sort === "bound" ? readBound(naming, payload, common) : readLegacy(naming, payload, common),
    };
  } catch (error) {
    if (error instanceof ClaimError) return { ok: false, why: error.message };
    throw error;
  }
}

class ClaimError extends Error {}

function readCommon(payload: JsonObject): CommonClaims {
  return {
    issuer: textOf(payload, "iss"),
    subject: textOf(payload, "sub"),
    audiences: audiencesOf(payload["aud"]),
    expires: timeOf(payload, "exp"),
    notBefore: timeOf(payload, "nbf"),
    issuedAt: timeOf(payload, "iat"),
  };
}

function readBound(naming: Naming, payload: JsonObject, common: CommonClaims): BoundClaims {
  const own = payload[naming.keyDomain];
  if (!isJsonObject(own)) throw new ClaimError(`claim ${naming.keyDomain} is missing`);
  const jti = textOf(payload, "jti");
  const account = refOf(own, "serviceaccount");
  if (account === undefined) throw new ClaimError("the service account's claim is missing");
  const identity: AccountIdentity = {
    namespace: objectName(textOf(own, "namespace"), "namespace"),
    account,
    pod: refOf(own, "pod"),
    node: refOf(own, "node"),
    credential: jti === "" ? undefined : jti,
  };
  return { ...common, sort: "bound", identity, secret: refOf(own, "secret"), warnAfter: timeOf(own, "warnafter") };
}

function readLegacy(naming: Naming, payload: JsonObject, common: CommonClaims): LegacyClaims {
  const names = legacyNames(naming);
  const needed = (claim: string): string => {
    const text = textOf(payload, claim);
    if (text === "") throw new ClaimError(`claim ${claim} is missing`);
    return text;
  };
  const namespace = objectName(needed(names.namespace), "namespace");
  const account = { name: objectName(needed(names.name), "service account"), uid: needed(names.uid) };
  if (common.subject !== serviceAccountUser({ namespace, name: account.name })) {
    throw new ClaimError("claim sub is not that of the service account");
  }
  return {
    ...common,
    sort: "legacy",
    identity: { namespace, account },
    secret: objectName(needed(names.secret), "secret"),
  };
}

function audiencesOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return [value];
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw new ClaimError("claim aud is neither text nor a list of texts");
}

function timeOf(of: JsonObject, name: string): number | undefined {
  const value = of[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isFinite(value)) throw new ClaimError(`claim ${name} is no time`);
  return Math.trunc(value);
}

function textOf(of: JsonObject, name: string): string {
  const value = of[name];
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") throw new ClaimError(`claim ${name} is no text`);
  return value;
}

function refOf(of: JsonObject, name: string): Reference | undefined {
  const value = of[name];
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw new ClaimError(`claim ${name} is no reference`);
  return { name: objectName(textOf(value, "name"), name), uid: textOf(value, "uid") };
}

/** What a claim names is looked up: nothing that could lead elsewhere gets that far. */
function objectName(name: string, what: string): string {
  if (name.length > longestName || !/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(name)) {
    throw new ClaimError(`the ${what} that is claimed has no name that an object could have`);
  }
  return name;
}

const longestName = 253;
