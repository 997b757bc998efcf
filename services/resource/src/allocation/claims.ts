import { formatAddress, parseAddress } from "@orch/schema/formats/ip.js";
import { readJson } from "@orch/status/read-json.js";
import { pages } from "@orch/store/pages.js";
import { type Key, key, noRevision, type Revision } from "@orch/store/revision.js";
import type { Entry, Store } from "@orch/store/store.js";
import type { PoolName } from "./pools.js";

/**
 * Who has a number: one key for each, written before the service that uses it (docs/decisions/006). Clients never see
 * these keys; they are no objects.
 */
export interface Use {
  readonly pool: PoolName;
  /** An address in its canonical text, or a port. */
  readonly text: string;
}

export interface Owner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface ClaimStore {
  readonly store: Store;
  /** Root of the keys, with its closing slash. */
  readonly prefix: string;
}

const folder = "allocations/services/";
const pageSize = 5000;

export function claimKey({ prefix }: Pick<ClaimStore, "prefix">, { pool, text }: Use): Key {
  return key(`${prefix}${folder}${pool}/${text}`);
}

/** Undefined for what is no address. */
export function addressUse(text: string): Use | undefined {
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  return { pool: address.length === 16 ? "ipv6" : "ipv4", text: formatAddress(address) };
}

/** Claims of one pool. */
export async function* claimsOf({ store, prefix }: ClaimStore, pool: PoolName): AsyncGenerator<Entry> {
  const at = key(`${prefix}${folder}${pool}/`);
  for await (const page of pages(store, { prefix: at, limit: pageSize })) yield* page.entries;
}

/** What stands behind the last slash of a claim's key. */
export function textOf(at: Key): string {
  return at.slice(at.lastIndexOf("/") + 1);
}

/** `since` is when it was claimed, in milliseconds since 1970; 0 for a service that had it before. */
export interface Claim {
  readonly owner: Owner;
  readonly since: number;
}

export function printClaim({ owner: { namespace, name, uid }, since }: Claim): Buffer {
  return Buffer.from(JSON.stringify({ namespace, name, uid, since }));
}

export function claimIn({ value }: Pick<Entry, "value">): Claim {
  const { namespace = "", name = "", uid = "", since = 0 }: Partial<Owner & Claim> = readJson(value.toString("utf8"));
  return { owner: { namespace, name, uid }, since };
}

/** The revision of the new claim; else what is there. */
export type Claimed =
  | { readonly done: true; readonly revision: Revision }
  | { readonly done: false; readonly current: Entry | undefined };

export async function writeClaim(claims: ClaimStore, use: Use, claim: Claim): Promise<Claimed> {
  const change = { key: claimKey(claims, use), expected: noRevision, value: printClaim(claim) };
  const swap = await claims.store.swap(change);
  return swap.done ? swap : { done: false, current: swap.current };
}

/** Gives a number back if it is this service's; one that another has meanwhile stays. True when it was. */
export async function releaseClaim(claims: ClaimStore, use: Use, uid: string): Promise<boolean> {
  const entry = await claims.store.get(claimKey(claims, use));
  if (entry === undefined || claimIn(entry).owner.uid !== uid) return false;
  return (await claims.store.swap({ key: entry.key, expected: entry.revision, value: undefined })).done;
}
