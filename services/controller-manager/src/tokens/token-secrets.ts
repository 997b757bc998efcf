import type { LegacyTokenIssuer } from "@orch/auth/service-account/token-issuer.js";
import type { Client } from "@orch/client/http/http.js";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import type { Outcome } from "@orch/client/work-queue.js";
import type { Naming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { readJson } from "@orch/status/read-json.js";

export const accounts = { group: "", version: "v1", resource: "serviceaccounts" };
export const secrets = { group: "", version: "v1", resource: "secrets" };

/** The part of a Secret's data that its controller writes; values in base64. */
export type SecretData = Readonly<Record<string, string>>;

/** The words of Secrets that hold tokens, and what they must hold. */
export interface SecretRules {
  readonly type: string;
  /** Annotations that name the account. */
  readonly accountName: string;
  readonly accountUid: string;
  /** What is to be written into a secret, an empty token where it needs one; undefined where it has everything. */
  missing(secret: ApiObject): SecretData | undefined;
}

export function secretRules(naming: Naming, rootCa: string | undefined): SecretRules {
  const ca = rootCa === undefined ? undefined : base64(rootCa);
  return {
    type: naming.key("service-account-token"),
    accountName: naming.key("service-account.name"),
    accountUid: naming.key("service-account.uid"),
    missing(secret) {
      const data = dataOf(secret);
      const missing = {
        ...(ca === undefined || data["ca.crt"] === ca ? {} : { "ca.crt": ca }),
        ...(isEmpty(data["namespace"]) ? { namespace: base64(secret.metadata.namespace ?? "") } : {}),
        ...(isEmpty(data["token"]) ? { token: "" } : {}),
      };
      return Object.keys(missing).length === 0 ? undefined : missing;
    },
  };
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "";
const dataOf = (secret: ApiObject): Readonly<Record<string, unknown>> =>
  isRecord(secret["data"]) ? secret["data"] : {};

/** The account that a secret names; an empty uid means any of that name. */
export function ownerOf({ metadata }: ApiObject, rules: SecretRules): { readonly name: string; readonly uid: string } {
  return {
    name: metadata.annotations?.[rules.accountName] ?? "",
    uid: metadata.annotations?.[rules.accountUid] ?? "",
  };
}

export interface SettleDeps {
  readonly client: Pick<Client, "get" | "update" | "delete">;
  readonly issuer: LegacyTokenIssuer;
  readonly rules: SecretRules;
  /** Accounts as they were last seen, by `namespace/name`. */
  readonly known: ReadonlyMap<string, ApiObject>;
}

/** A secret, as it was last seen, gets what it lacks, or goes where its account has gone. */
export async function settleSecret(
  seen: ApiObject | undefined,
  deps: SettleDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  if (seen === undefined) return "done";
  const { client, rules } = deps;
  const { name = "", namespace = "", uid } = seen.metadata;
  const place = { ...secrets, namespace };
  const account = await accountOf(seen, deps, signal);
  if (account === undefined) {
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    await client.delete(place, name, { ...preconditions, signal }).catch(unlessPast);
    return "done";
  }
  if (seen["complete"] === true) return "done";
  const live = await client.get(place, name, { signal }).catch(unlessPast);
  // Of a newer state we shall hear.
  if (live === undefined || live.metadata.resourceVersion !== seen.metadata.resourceVersion) return "done";
  const missing = rules.missing(live);
  if (missing === undefined) return "done";
  const of = { namespace, serviceAccount: account, secret: name };
  const token = missing["token"] === undefined ? {} : { token: base64(await deps.issuer.issue(of)) };
  const annotations = {
    ...live.metadata.annotations,
    [rules.accountName]: account.name,
    [rules.accountUid]: account.uid,
  };
  const filled = {
    ...live,
    metadata: { ...live.metadata, annotations },
    data: { ...dataOf(live), ...missing, ...token },
  };
  await client.update(place, filled, { signal }).catch(unlessPast);
  return "done";
}

/** The account of a secret; the server is asked before it counts as gone. */
async function accountOf(
  secret: ApiObject,
  { client, rules, known }: SettleDeps,
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly uid: string } | undefined> {
  const { name, uid } = ownerOf(secret, rules);
  const { namespace = "" } = secret.metadata;
  const fitting = (account: ApiObject | undefined): { readonly name: string; readonly uid: string } | undefined => {
    const found = account?.metadata.uid ?? "";
    return found !== "" && (uid === "" || uid === found) ? { name, uid: found } : undefined;
  };
  const seen = fitting(known.get(`${namespace}/${name}`));
  if (seen !== undefined || name === "") return seen;
  return fitting(await client.get({ ...accounts, namespace }, name, { signal }).catch(unlessMissing));
}

export interface ReferenceDeps {
  readonly client: Pick<Client, "get" | "update">;
  /** Secrets as they were last seen, by `namespace/name`. */
  readonly held: ReadonlyMap<string, ApiObject>;
}

/** A secret that is gone is listed by its account no more. `key`: `["namespace","account","its uid or empty","secret"]` */
export async function dropReference(
  key: string,
  { client, held }: ReferenceDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  const [namespace, name, uid, secret]: readonly string[] = readJson(key);
  if (namespace === undefined || name === undefined || held.has(`${namespace}/${secret}`)) return "done";
  const place = { ...accounts, namespace };
  const account = await client.get(place, name, { signal }).catch(unlessMissing);
  if (account === undefined || (uid !== "" && uid !== account.metadata.uid)) return "done";
  const listed = Array.isArray(account["secrets"]) ? account["secrets"] : [];
  const kept = listed.filter((each: unknown) => !isRecord(each) || each["name"] !== secret);
  if (kept.length === listed.length) return "done";
  await client.update(place, { ...account, secrets: kept }, { signal }).catch(unlessMissing);
  return "done";
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.reason === "NotFound") return undefined;
  throw error;
}
