import type { Damage } from "./damaged-entry.js";
import type { NewNote, Notes } from "./notes.js";
import type { Key, Revision } from "./revision.js";

/**
 * The Store seam: a revisioned key-value store with one total order of changes.
 *
 * - A revision numbers one committed change; revisions grow, starting above 0, and are never reused.
 *   Revisions may be skipped (another user of the same etcd).
 * - Keys are absolute and start with the prefix that the store was opened with; everything the store
 *   itself keeps lives under that prefix too and is never shown.
 * - A change is acknowledged, readable and watchable only once it is durable.
 * - Values are opaque bytes. A returned Buffer is the caller's: it pins no larger memory, unless it is `lent`. Those of
 *   events are shared with other watches, and only read.
 * - Errors are ApiErrors: `Expired` for a compacted revision, `Timeout` for a write of unknown outcome
 *   (`outcomeUnknown`), `ServiceUnavailable` when nothing was executed, `InsufficientStorage` when the
 *   medium is full, `RequestEntityTooLarge` for a key or value over the store's limit, `DamagedEntry` for what was
 *   stored and is no longer what was written. Nothing else is expected.
 */
export interface Store {
  /**
   * The newest committed revision, read linearizably: every write acknowledged before the call is at or below it. A store of
   * several parts counts in each of them, and gives that of the part with the keys `near` this one.
   */
  revision(near?: Key): Promise<Revision>;

  /** One key, linearizably; undefined when it does not exist. */
  get(key: Key): Promise<Entry | undefined>;

  /**
   * Entries under a prefix in key order (bytewise UTF-8), at one revision: the newest, or exactly `at`. An entry that
   * cannot be read fails the whole with {@link DamagedEntry}, unless the asker takes `damaged` ones into account.
   */
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

  readonly notes: Notes;

  /**
   * Several changes as one; absent in a store that cannot. What wraps a store and has a `swap` of its own has `transactions` of
   * its own too.
   */
  readonly transactions?: Transactions | undefined;

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
  /** The value should be written anew though it is the same: it is stored in a way that is to go, under an old key for one. */
  readonly stale?: true;
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
  /** What cannot be read is told in {@link Range.damaged}, and the rest is given. */
  readonly damaged?: "told";
  /** The answer has the {@link Range.proof} of its entry that was written last. */
  readonly prove?: "newest";
}

export interface Range {
  readonly entries: readonly Entry[];
  /** The revision that the answer shows: `at`, or the newest one at the time of reading. */
  readonly revision: Revision;
  /** How many entries the prefix holds from `from` on, the returned ones included. */
  readonly count: number;
  /** What stands in the range and cannot be read; absent where there is none, or nobody asked. */
  readonly damaged?: readonly Damage[];
  /** Absent where nobody asked, or no entry was read. */
  readonly proof?: Proof;
}

/**
 * That an entry stands as its store wrote it. The store makes it of what it keeps, whatever its callers see of that; they
 * compare revisions at most, and hand it back.
 */
export interface Proof {
  readonly key: Key;
  readonly revision: Revision;
  /** In the store's own words. */
  readonly digest: string;
}

export interface Change {
  readonly key: Key;
  readonly expected: Revision;
  /** undefined deletes. */
  readonly value: Buffer | undefined;
  /**
   * May use the room that is kept back for when the medium is full, as every deletion may: what frees room in the end, and what
   * the cluster stands on. A store whose medium is somebody else's passes over it.
   */
  readonly essential?: boolean;
  /** Written with the change; left out where there is room for the change alone. */
  readonly note?: NewNote | undefined;
}

export type Swap =
  | { readonly done: true; readonly revision: Revision }
  /** `current` is the entry that stood in the way; absent when the key does not exist. */
  | { readonly done: false; readonly current?: Entry };

/**
 * Several changes as one: a part of stores that give each change of a commit a revision of its own, all of which become
 * readable and watchable at the same moment. Where all changes of a transaction have one revision, as in etcd, who reads the
 * first event of it and goes on behind that revision misses the others: such a store has no transactions.
 */
export interface Transactions {
  /**
   * Makes all changes, whose keys differ, in one durable commit, each with a revision of its own, in their order; or none of
   * them. Notes go with their changes. A medium that has no room for all takes none.
   * @throws ApiError as a swap, and RequestEntityTooLarge for more than `maxTransaction` (`transactions.ts`)
   */
  commit(changes: readonly Change[]): Promise<Transaction>;
}

export type Transaction =
  /** By the places of the changes. */
  | { readonly done: true; readonly revisions: readonly Revision[] }
  /** The changes that stood in the way of all, one at least. */
  | { readonly done: false; readonly refused: readonly Refused[] };

export interface Refused {
  /** The place of the change. */
  readonly at: number;
  /** What stood in the way; absent when the key does not exist. */
  readonly current?: Entry;
}

export interface WatchQuery {
  readonly prefix: Key;
  readonly from: Revision;
  readonly signal: AbortSignal;
  /** Of an entry as it stands before `from`: a store that could be set back unseen knows by it that it was not. */
  readonly known?: Proof;
}

export type WatchItem =
  | { readonly type: "events"; readonly events: readonly StoreEvent[] }
  | { readonly type: "progress"; readonly revision: Revision };

/** A change that can be read. */
export type ReadableEvent =
  | { readonly type: "put"; readonly entry: Entry; readonly previous: Entry | undefined }
  /** `revision` is the deletion's; `previous` is the state it removed, undefined where that cannot be read any more. */
  | { readonly type: "delete"; readonly key: Key; readonly revision: Revision; readonly previous: Entry | undefined };

export type StoreEvent =
  | ReadableEvent
  /** A change that was made and cannot be read; of which key is not always known. */
  | {
      readonly type: "damaged";
      readonly key: Key | undefined;
      readonly revision: Revision;
      readonly why: string;
      readonly sealed?: true;
    };
