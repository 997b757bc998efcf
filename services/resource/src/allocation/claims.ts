import { formatAddress, parseAddress } from "@orch/schema/formats/ip.js";
import { readJson } from "@orch/status/read-json.js";
import { pages } from "@orch/store/pages.js";
import { type Key, key, noRevision, type Revision } from "@orch/store/revision.js";
import type { Entry, Store } from "@orch/store/store.js";
import type { PoolName } from "./pools.js";

/**
 * Who has a number: one key for each, written before the service that uses it (docs/decisions/006). Clients never see
 * these keys; they are no objects, but for those of addresses where these are to be.
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

/** `since` is when it was claimed, in milliseconds since 1970; 0 for a service that had it before. */
export interface Claim {
  readonly owner: Owner;
  readonly since: number;
}

/**
 * Claims of addresses as objects that everybody sees: an IPAddress whose name is the address. Its `parentRef` names the
 * service; the service's uid and the time, which that has no room for, are in an annotation.
 */
export interface AddressObjects {
  /** Behind the prefix of the store, with its closing slash. */
  readonly folder: string;
  print(address: string, claim: Claim): Buffer;
  /** Of nobody where the object is not of a service's address, or does not say so any more. */
  read(value: Buffer): Claim;
}

export interface ClaimStore {
  readonly store: Store;
  /** Root of the keys, with its closing slash. */
  readonly prefix: string;
  /** Addresses are claimed by objects of kind IPAddress (gate MultiCIDRServiceAllocator). */
  readonly objects?: AddressObjects | undefined;
}

const folder = "allocations/services/";
const pageSize = 5000;

type ClaimForm = Pick<ClaimStore, "prefix" | "objects">;

export function claimKey(form: ClaimForm, { pool, text }: Use): Key {
  return key(`${folderOf(form, pool)}${text}`);
}

function folderOf({ prefix, objects }: ClaimForm, pool: PoolName): string {
  if (objects !== undefined && pool !== "node-ports") return `${prefix}${objects.folder}`;
  return `${prefix}${folder}${pool}/`;
}

/** Undefined for what is no address. */
export function addressUse(text: string): Use | undefined {
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  return { pool: address.length === 16 ? "ipv6" : "ipv4", text: formatAddress(address) };
}

/** Claims of one pool; objects of both families lie together. */
export async function* claimsOf(claims: ClaimStore, pool: PoolName): AsyncGenerator<Entry> {
  const at = key(folderOf(claims, pool));
  const isOther =
    claims.objects === undefined || pool === "node-ports"
      ? () => false
      : (entry: Entry) => textOf(entry.key).includes(":") !== (pool === "ipv6");
  for await (const page of pages(claims.store, { prefix: at, limit: pageSize })) {
    for (const entry of page.entries) if (!isOther(entry)) yield entry;
  }
}

/** What stands behind the last slash of a claim's key. */
export function textOf(at: Key): string {
  return at.slice(at.lastIndexOf("/") + 1);
}

export function printClaim({ objects }: ClaimForm, { pool, text }: Use, claim: Claim): Buffer {
  if (objects !== undefined && pool !== "node-ports") return objects.print(text, claim);
  return Buffer.from(printedClaim(claim));
}

/** As one line. */
export function printedClaim({ owner: { namespace, name, uid }, since }: Claim): string {
  return JSON.stringify({ namespace, name, uid, since });
}

/** Of nobody where it is an object that services did not make. */
export function claimIn({ prefix, objects }: ClaimForm, { key: at, value }: Pick<Entry, "key" | "value">): Claim {
  const isObject = objects !== undefined && at.startsWith(`${prefix}${objects.folder}`);
  return isObject ? objects.read(value) : readClaim(value.toString("utf8"));
}

export function readClaim(text: string): Claim {
  const { namespace = "", name = "", uid = "", since = 0 }: Partial<Owner & Claim> = readJson(text);
  return { owner: { namespace, name, uid }, since };
}

/** The revision of the new claim; else what is there. */
export type Claimed =
  | { readonly done: true; readonly revision: Revision }
  | { readonly done: false; readonly current: Entry | undefined };

export async function writeClaim(claims: ClaimStore, use: Use, claim: Claim): Promise<Claimed> {
  const change = { key: claimKey(claims, use), expected: noRevision, value: printClaim(claims, use, claim) };
  const swap = await claims.store.swap(change);
  return swap.done ? swap : { done: false, current: swap.current };
}

/** Gives a number back if it is this service's; one that another has meanwhile stays. True when it was. */
export async function releaseClaim(claims: ClaimStore, use: Use, uid: string): Promise<boolean> {
  const entry = await claims.store.get(claimKey(claims, use));
  if (entry === undefined || claimIn(claims, entry).owner.uid !== uid) return false;
  return (await claims.store.swap({ key: entry.key, expected: entry.revision, value: undefined })).done;
}
