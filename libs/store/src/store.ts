import type { Key, Revision } from "./revision.js";

/**
 * The Store seam: a revisioned key-value store with one total order of changes (design, sections 2, 4 and 5).
 *
 * - A revision numbers one committed change; revisions grow, starting above 0, and are never reused.
 *   Revisions may be skipped (another user of the same etcd).
 * - Keys are absolute and start with the prefix that the store was opened with; everything the store
 *   itself keeps lives under that prefix too and is never shown.
 * - A change is acknowledged, readable and watchable only once it is durable.
 * - Values are opaque bytes. A returned Buffer is the caller's: it pins no larger memory, unless it is `lent`.
 * - Errors are ApiErrors: `Expired` for a compacted revision, `Timeout` for a write of unknown outcome
 *   (`outcomeUnknown`), `ServiceUnavailable` when nothing was executed, `InsufficientStorage` when the
 *   medium is full, `RequestEntityTooLarge` for a key or value over the store's limit. Nothing else is expected.
 */
export interface Store {
  /** The newest committed revision, read linearizably: every write acknowledged before the call is at or below it. */
  revision(): Promise<Revision>;

  /** One key, linearizably; undefined when it does not exist. */
  get(key: Key): Promise<Entry | undefined>;

  /** Entries under a prefix in key order (bytewise UTF-8), at one revision: the newest, or exactly `at`. */
  range(query: RangeQuery): Promise<Range>;

  /**
   * Writes or deletes one key if its revision is `expected` (0: the key must not exist). Never sent
   * twice: a reply that was cut is resolved by reading back, or fails with `outcomeUnknown`.
   */
  swap(change: Change): Promise<Swap>;

  /**
   * Every change under a prefix from revision `from` on (inclusive), in order, none missing and none
   * twice, across reconnects. Ends by `signal`; throws `Expired` when `from` (or, after a long
   * disconnection, the next revision) was compacted, and `StoreSetBack`, which is one too, when the store is no longer
   * the one that told what came before. A `progress` item says that everything up to its
   * revision was delivered; a store sends it where it can know that.
   */
  watch(query: WatchQuery): AsyncIterable<WatchItem>;

  /**
   * Forgets history: the state at `revision` stays, reads below it answer `Expired`, and so do watches from
   * it or below (a watch needs the state before its first change). Idempotent.
   */
  compact(revision: Revision): Promise<void>;

  /** Ends watches, waits for writes under way, releases the medium. */
  close(): Promise<void>;
}

export interface Entry {
  readonly key: Key;
  readonly value: Buffer;
  /** The revision that wrote this value. */
  readonly revision: Revision;
  /** The revision that created the key. */
  readonly created: Revision;
}

export interface RangeQuery {
  readonly prefix: Key;
  /** Start at this key (inclusive) instead of the prefix's first. */
  readonly from?: Key;
  /** At most this many entries; all when absent. */
  readonly limit?: number;
  readonly at?: Revision;
  /** The values are only looked at or copied at once: they may share memory that is larger than they are. */
  readonly lent?: boolean;
}

export interface Range {
  readonly entries: readonly Entry[];
  /** The revision that the answer shows: `at`, or the newest one at the time of reading. */
  readonly revision: Revision;
  /** How many entries the prefix holds from `from` on, the returned ones included. */
  readonly count: number;
}

export interface Change {
  readonly key: Key;
  readonly expected: Revision;
  /** undefined deletes. */
  readonly value: Buffer | undefined;
}

export type Swap =
  | { readonly done: true; readonly revision: Revision }
  /** `current` is the entry that stood in the way; absent when the key does not exist. */
  | { readonly done: false; readonly current?: Entry };

export interface WatchQuery {
  readonly prefix: Key;
  readonly from: Revision;
  readonly signal: AbortSignal;
  /** An entry as it stands before `from`: a store that could be set back unseen knows by it that it was not. */
  readonly known?: Entry;
}

export type WatchItem =
  | { readonly type: "events"; readonly events: readonly StoreEvent[] }
  | { readonly type: "progress"; readonly revision: Revision };

export type StoreEvent =
  | { readonly type: "put"; readonly entry: Entry; readonly previous: Entry | undefined }
  /** `revision` is the deletion's; `previous` is the state it removed. */
  | { readonly type: "delete"; readonly key: Key; readonly revision: Revision; readonly previous: Entry };
