export interface WatchCacheConfig {
  /** How long history is kept at least (rules: Limits), and its bytes a collection at most. */
  readonly historyMs: number;
  readonly historyBytes: number;
  readonly bookmarkMs: number;
  /** Bytes that may wait for one watcher before it is ended. */
  readonly maxPendingBytes: number;
  /** Bytes of other encodings, versions and tables that are kept while they are hot. */
  readonly hotBytes: number;
  /** Whether there are streaming lists (gate WatchList). */
  readonly streamingLists: boolean;
  /** Bytes of gzipped lists that are kept. */
  readonly gzipBytes: number;
  /** How long a read waits for a version that is to come. */
  readonly waitMs: number;
  /** How often the store is asked for its revision when no read asks: whether it was set back. */
  readonly checkMs: number;
  /** Whether bodies are named for askers that keep them: those in other processes. */
  readonly namesBodies: boolean;
}

export const watchCacheDefaults: WatchCacheConfig = {
  historyMs: 5 * 60_000,
  historyBytes: 64 * 1024 * 1024,
  bookmarkMs: 60_000,
  maxPendingBytes: 8 * 1024 * 1024,
  hotBytes: 64 * 1024 * 1024,
  streamingLists: true,
  gzipBytes: 32 * 1024 * 1024,
  waitMs: 3000,
  checkMs: 5000,
  namesBodies: true,
};
