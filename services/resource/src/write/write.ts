import type { WriteContext } from "@orch/api/behavior.js";
import type { Catalog, Kind } from "@orch/api/catalog.js";
import type { Convert } from "@orch/api/custom/convert.js";
import type { Features } from "@orch/api/features.js";
import type { NotEnforced } from "@orch/api/not-enforced.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Permissions } from "@orch/auth/rules.js";
import type { Negotiator, ObjectFormat } from "@orch/codec/negotiate.js";
import type { HistoryPolicy } from "@orch/history/rules.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Renderers } from "@orch/render/renderers.js";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { notFound, type ResourceName } from "@orch/status/api-error.js";
import type { Span } from "@orch/status/span.js";
import { type Key, key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import type { TokenKey } from "@orch/store/token-key.js";
import type { Allocations } from "../allocation/allocations.js";
import type { Explaining } from "../explain/explaining.js";
import type { Namespaces } from "../namespaces.js";
import type { Advice, AuditNotes } from "./advice.js";
import type { RememberingStore } from "./storing/recent-states.js";

/** A state that takes long to change: the write is made in the thread, from its beginning. Nothing was written yet. */
export class TooLargeHere extends Error {}

/** @throws TooLargeHere */
export function checkSizeHere({ largestHere }: WriteDeps, { value }: { readonly value: Buffer }): void {
  if (value.length > largestHere) throw new TooLargeHere("a state too large for this thread");
}

/** What every write needs. */
export interface WriteDeps {
  readonly store: Store;
  /** The state of an object that was seen last, if it is remembered. */
  readonly recent: RememberingStore["recent"];
  readonly noteTree: RememberingStore["noteTree"];
  readonly catalog: Catalog;
  readonly naming: Naming;
  readonly namespaces: Namespaces;
  readonly allocations: Allocations;
  readonly admission: Admission;
  /** The same for writes that are to be explained: it tells who was asked and what came of it. */
  readonly explainedAdmission: Admission;
  /** Asks webhooks to convert custom resources. */
  readonly convert: Convert;
  /** Warns of what is stored without effect. */
  readonly notEnforced: NotEnforced;
  /** Features whose fields are kept. */
  readonly features: Features;
  /** What users may do, for writes that depend on more than whether they are allowed. */
  readonly permissions: Permissions;
  /** The encodings of bodies. */
  readonly formats: Negotiator<ObjectFormat>;
  /** Those of custom resources. */
  readonly customFormats: Negotiator<ObjectFormat>;
  readonly renderers: Renderers;
  /** Signs where the next page of a deletecollection begins. */
  readonly tokenKey: TokenKey;
  /** Whose past is kept; nobody's where absent. */
  readonly history?: HistoryPolicy | undefined;
  /** Whether CBOR is read and written. */
  readonly cbor: boolean;
  /** Bytes of a stored state over which a change of it is not made in this thread (see `thread/large-writes.ts`). */
  readonly largestHere: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newUid: () => string;
  /** [0, 1) */
  readonly random: () => number;
}

/** What a webhook made of objects during a write, by their text and the version that they were converted to. */
export type KnownConversions = Map<string, AnyObject>;

/** One write on its way: the request and the kind it is about. */
export interface Write {
  readonly deps: WriteDeps;
  /** As it is validated: the hub of `requested`. */
  readonly kind: Kind;
  /** The version of the request's body and of the answer. */
  readonly requested: Kind;
  readonly request: WriteRequest;
  /** What the server itself writes, in place of the request's body. */
  readonly own?: object | undefined;
  /** By when the writer wants to have an answer, in milliseconds that only grow; undefined for the server's own writes. */
  readonly deadline?: number | undefined;
  /** Where a webhook converts versions of the kind: what it has said so far. */
  readonly conversions?: KnownConversions | undefined;
  /** Of the request's handler, where it is traced. */
  readonly span?: Span | undefined;
  /** Milliseconds for which it waited for webhooks; validating ones are asked together. */
  readonly waited?: { mutatingMs: number; validatingMs: number } | undefined;
  /** Of the change of a stored object that is being made. */
  readonly storing?: Span | undefined;
  /** What an explanation is made of; absent where none is asked for, which is nearly always. */
  readonly explaining?: Explaining | undefined;
  /** Of a write that is stored together with others: the status that its object is to have. */
  readonly staging?: { readonly status: unknown } | undefined;
  /** What plugins note for the audit event of the request; absent where it has none. */
  readonly notes?: AuditNotes | undefined;
}

/** A new state of an object, prepared and validated, before it is stored. Hub objects. */
export interface NewState {
  readonly write: Write;
  readonly object: AnyObject;
  /** Undefined for a creation. */
  readonly old: AnyObject | undefined;
}

/** One that is about to be stored, or would be. */
export interface JudgedState extends NewState {
  /** Nothing is written, not by whoever judges it either. */
  readonly dryRun: boolean;
}

/** What admission made of an object. */
export interface Changed {
  readonly object: AnyObject;
  readonly advice: Advice;
}

/** Answers at once where no plugin handles the kind, which is almost always. */
export interface Admission {
  /** Whether any plugin, or anybody outside, has to do with such a new object. */
  concernsCreate(write: Write): boolean;
  /** Whether any plugin has to do with such a change of an object. */
  concernsUpdate(write: Write): boolean;
  mutateCreate(write: Write, object: AnyObject): AnyObject | Promise<Changed>;
  /** What the server changes in a new state, of the request's version, of a stored object, of the hub. */
  mutateUpdate(write: Write, object: AnyObject, old: AnyObject): AnyObject | Promise<Changed>;
  /** Whether anything outside of this service is asked about such writes. */
  asksAnybody(write: Write): boolean;
  /** Says of a refusal in its advice, or throws it. @throws ApiError */
  validate(state: JudgedState): Promise<Advice> | undefined;
  /** Before the deletion or eviction of an object in this state, by itself or with its collection. @throws ApiError */
  validateDelete(write: Write, old: AnyObject): Promise<Advice> | undefined;
}

export function resourceOf(kind: Kind): ResourceName {
  return { group: kind.group, resource: kind.plural };
}

/** What tells where a write's object is stored. */
type Placed = Pick<Write, "deps" | "kind" | "request">;

export function keyPrefix({ deps, kind, request }: Placed): Key {
  const namespace = kind.namespaced && request.namespace !== "" ? `${request.namespace}/` : "";
  return key(`${deps.naming.storePrefix}${kind.storage.prefix}/${namespace}`);
}

/** The store's key of an object; a name that nothing can be stored under is simply not found. */
export function keyOf(write: Placed, name: string): Key {
  if (name.length > longestName || write.request.namespace.length > longestName) {
    throw notFound(resourceOf(write.kind), name);
  }
  return key(keyPrefix(write) + name);
}

/** Of an object; a longer one is never found. */
export const longestName = 253;

/** A kind that the code itself needs. */
export function builtIn(
  { deps }: { readonly deps: Pick<WriteDeps, "catalog"> },
  apiVersion: string,
  name: string,
): Kind {
  const kind = deps.catalog.kind(apiVersion, name);
  if (kind === undefined) throw new TypeError(`the catalog has no ${apiVersion} ${name}`);
  return kind;
}

/** What the steps of a write know beyond its objects. */
export function contextOf({ deps, requested, request }: Write): WriteContext {
  return {
    user: request.user,
    now: timestamp(deps.now()),
    apiVersion: requested.apiVersion,
    ipFamilies: deps.allocations.families,
    features: deps.features,
  };
}

/** As metadata has it: RFC 3339, UTC, whole seconds. */
export function timestamp(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  // Every write of a second has the same time in it, more than once.
  if (second !== last.second) last = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  return last.text;
}

let last = { second: Number.NaN, text: "" };
