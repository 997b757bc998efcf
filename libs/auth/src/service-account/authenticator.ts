import { valueAt } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { andThen } from "../and-then.js";
import { noVerdict, type Verdict } from "../authenticator.js";
import { parseJsonObject } from "../json.js";
import type { ObjectSource } from "../object-source.js";
import { sameSecret, tokenDigest } from "../secrets.js";
import type { TokenAuthenticator } from "../token-authenticator.js";
import type { UserInfo } from "../user.js";
import { type BoundClaims, type Claims, type LegacyClaims, legacyIssuer } from "./claims.js";
import { parsePublicKeys } from "./keys.js";
import { type LiveObject, liveObjects, type Objection } from "./live-objects.js";
import { accountUser, type Reference } from "./names.js";
import { type Checked, signatures } from "./signatures.js";

export interface ServiceAccountDeps {
  readonly naming: Naming;
  /** All of `--service-account-issuer`. */
  readonly issuers: readonly string[];
  /** PEM texts of `--service-account-key-file`; `parsePublicKeys` tells beforehand whether they will do. */
  readonly keys: readonly string[];
  readonly apiAudiences: readonly string[];
  readonly objects: ObjectSource;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** `--service-account-lookup`: tokens of Secrets need their Secret and account. */
  readonly lookup: boolean;
  /** Whether tokens of Secrets are taken at all. */
  readonly legacy: boolean;
  /** Told of the Secrets whose tokens are used, unless their label says so of today already. */
  readonly secretUsed?: ((use: SecretUse) => void) | undefined;
}

/** A token of a Secret was taken on a day (`2026-01-31`, UTC). */
export interface SecretUse {
  readonly namespace: string;
  readonly name: string;
  readonly day: string;
}

/** Nothing longer comes in a header, and none of ours is. */
const longestToken = 64 * 1024;
const shape = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;
/** Clocks differ; what is deleted still counts for as long (release 1.32). */
const leewaySeconds = 60;

/**
 * Tokens of service accounts (rules: Authentication): bound ones, good while what they are bound to is there, and
 * those of Secrets. Signatures are looked at once, objects at most about once a second each. Tokens of other issuers
 * are left to others. @throws TypeError for keys that cannot be read
 */
export function serviceAccountAuthenticator(deps: ServiceAccountDeps): TokenAuthenticator {
  const { naming, now } = deps;
  const keys = parsePublicKeys(deps.keys);
  if (!keys.ok) throw new TypeError(keys.problems.join("; "));
  const signed = signatures({ naming, keys: keys.value });
  const vouchers = createVouchers(deps);
  const sortOf = sortsByIssuer(deps);
  const users = new WeakMap<Claims, UserInfo>();
  const userOf = (claims: Claims): UserInfo => {
    const known = users.get(claims) ?? accountUser(naming, claims.identity);
    users.set(claims, known);
    return known;
  };

  const judge = (checked: Checked, asked: readonly string[]): Verdict | Promise<Verdict> => {
    if (!checked.ok) return denied(checked.why);
    const { claims } = checked;
    const audiences = audiencesFor(claims, asked, deps.apiAudiences);
    if (audiences === undefined) return denied("it is meant for other audiences");
    const untimely = timeProblem(claims, now() / 1000);
    if (untimely !== undefined) return denied(untimely);
    const settled = (why: string | undefined): Verdict =>
      why === undefined ? { outcome: "allow", user: userOf(claims), audiences } : denied(why);
    const objection = claims.sort === "bound" ? vouchers.bound(claims) : vouchers.legacy(claims, checked.digest);
    return andThen(objection, settled);
  };

  return {
    authenticateToken(token, asked) {
      if (token.length > longestToken || !shape.test(token)) return noVerdict;
      const checked = signed.check(token, sortOf);
      if (checked === undefined) return noVerdict;
      return andThen(checked, (known) => judge(known, asked));
    },
  };
}

function denied(why: string): Verdict {
  return { outcome: "deny", why: `a service account token is refused: ${why}` };
}

/** Which sort of ours a token claims to be, before anything of it is proven; undefined for other issuers. */
function sortsByIssuer({ naming, issuers, legacy }: ServiceAccountDeps) {
  const ours = new Set(issuers);
  const old = legacyIssuer(naming);
  return (token: string): Claims["sort"] | undefined => {
    const payload = parseJsonObject(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const issuer = payload?.["iss"];
    if (payload === undefined || typeof issuer !== "string") return undefined;
    // The old issuer may be the new one's name, too.
    const isOld = legacy && issuer === old && !(ours.has(issuer) && naming.keyDomain in payload);
    if (isOld) return "legacy";
    return ours.has(issuer) ? "bound" : undefined;
  };
}

/** Those of the asked ones that a token is meant for; undefined where it is meant for others. */
function audiencesFor(
  { audiences }: Claims,
  asked: readonly string[],
  apiAudiences: readonly string[],
): readonly string[] | undefined {
  const meant = audiences.length === 0 ? apiAudiences : audiences;
  const common = asked.filter((each) => meant.includes(each));
  // A server without audiences of its own asks for none.
  return common.length > 0 || (asked.length === 0 && apiAudiences.length === 0) ? common : undefined;
}

function timeProblem({ expires, notBefore, issuedAt }: Claims, now: number): string | undefined {
  if (expires !== undefined && now - leewaySeconds > expires) return "it has expired";
  if (notBefore !== undefined && now + leewaySeconds < notBefore) return "it is not valid yet";
  if (issuedAt !== undefined && now + leewaySeconds < issuedAt) return "it is issued in the future";
  return undefined;
}

type Answer = string | undefined | Promise<string | undefined>;

interface SecretParts {
  /** Of the token that it holds; undefined where it holds none. */
  readonly digest: string | undefined;
  /** The day since which it may not be used any more; empty where it may. */
  readonly invalidSince: string;
  /** The last day of its use that was recorded. */
  readonly lastUsed: string;
}

const dayMs = 24 * 3_600_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Whether the objects that a token depends on are there. */
function createVouchers({ naming, objects, now, lookup, secretUsed }: ServiceAccountDeps) {
  const invalidSince = naming.key("legacy-token-invalid-since");
  const lastUsed = naming.key("legacy-token-last-used");
  const source = { objects, now, more: () => undefined };
  const accounts = liveObjects({ ...source, resource: "serviceaccounts" });
  const pods = liveObjects({ ...source, resource: "pods" });
  const nodes = liveObjects({ ...source, resource: "nodes" });
  const secrets = liveObjects<SecretParts>({
    ...source,
    resource: "secrets",
    more: (secret) => {
      const held = valueAt(secret, "data.token");
      return {
        digest: typeof held === "string" ? tokenDigest(Buffer.from(held, "base64").toString("utf8")) : undefined,
        invalidSince: secret.metadata.labels?.[invalidSince] ?? "",
        lastUsed: secret.metadata.labels?.[lastUsed] ?? "",
      };
    },
  });

  /** There, with this uid, and not deleted for longer than clocks may differ. */
  const same =
    (what: string, { uid }: Reference) =>
    (object: LiveObject<unknown> | undefined): string | undefined => {
      if (object === undefined) return `its ${what} is not there`;
      if (object.uid !== uid) return `its ${what} is another one of that name`;
      const longDeleted = object.deleted !== undefined && object.deleted < now() - leewaySeconds * 1000;
      return longDeleted ? `its ${what} has been deleted` : undefined;
    };

  return {
    bound({ identity, secret }: BoundClaims): Answer {
      const { namespace, account, pod, node } = identity;
      // A pod's node is told and not asked for: it may come and go.
      const ownNode = pod === undefined ? node : undefined;
      return firstOf([
        () => accounts.objection(namespace, account.name, same("service account", account)),
        () => secret && secrets.objection(namespace, secret.name, same("secret", secret)),
        () => pod && pods.objection(namespace, pod.name, same("pod", pod)),
        () => ownNode && nodes.objection("", ownNode.name, same("node", ownNode)),
      ]);
    },

    legacy({ identity, secret }: LegacyClaims, digest: string): Answer {
      if (!lookup) return undefined;
      const { namespace, account } = identity;
      let recorded = "";
      const holds: Objection<SecretParts> = (object) => {
        if (object === undefined || object.deleted !== undefined) return "its secret is not there";
        recorded = object.more.lastUsed;
        if (!sameSecret(object.more.digest ?? "", digest)) return "its secret holds another one";
        return object.more.invalidSince === "" ? undefined : "its secret says that it is not to be used any more";
      };
      const there: Objection<undefined> = (object) =>
        object?.deleted === undefined ? same("service account", account)(object) : "its service account is deleted";
      const answer = firstOf([
        () => secrets.objection(namespace, secret, holds),
        () => accounts.objection(namespace, account.name, there),
      ]);
      return andThen(answer, (why) => {
        const day = dayOf(now());
        // Clocks of servers differ: one of them may write tomorrow's day.
        const isRecorded = recorded === day || recorded === dayOf(now() + dayMs);
        if (why === undefined && !isRecorded) secretUsed?.({ namespace, name: secret, day });
        return why;
      });
    },
  };
}

/** The first objection of several; the next is asked for only where there was none before. */
function firstOf(questions: readonly (() => Answer)[]): Answer {
  for (const [i, ask] of questions.entries()) {
    const answer = ask();
    if (answer instanceof Promise) return answer.then((why) => why ?? firstOf(questions.slice(i + 1)));
    if (answer !== undefined) return answer;
  }
  return undefined;
}
