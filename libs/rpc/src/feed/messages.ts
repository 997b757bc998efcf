/** `proto/feed.proto` as plain values. An absent number is 0, absent text "". */
export interface FeedOrigin {
  /** With which every key begins. */
  readonly storePrefix: string;
  /** Prefixes of keys that stand in other stores, which the feed does not tell of. */
  readonly elsewhere: readonly string[];
}

export interface FeedEntry {
  readonly key: string;
  readonly value: Buffer;
  readonly revision: number;
  readonly created: number;
  readonly stale?: true;
}

export interface FeedDamage {
  readonly key: string;
  readonly revision: number;
  readonly why: string;
  readonly sealed?: true;
}

export interface FeedProof {
  readonly key: string;
  readonly revision: number;
  readonly digest: string;
}

export interface FeedRangeRequest {
  readonly prefix: string;
  readonly from: string;
  readonly limit: number;
  readonly at: number;
  readonly damaged: boolean;
  readonly prove: boolean;
}

export interface FeedRange {
  readonly entries: readonly FeedEntry[];
  readonly revision: number;
  readonly count: number;
  readonly damaged: readonly FeedDamage[];
  readonly proof?: FeedProof | undefined;
}

/** How the change that was told last left its key. */
export interface FeedLeft {
  readonly key: string;
  /** 0: without a value. */
  readonly revision: number;
  /** Of the value: sha256. */
  readonly digest: Buffer;
}

export interface FeedWatchRequest {
  readonly prefix: string;
  readonly from: number;
  readonly known?: FeedProof | undefined;
  readonly last?: FeedLeft | undefined;
  /** Keys that begin with one of these are told of, of others that they have changed; of all where there are none. */
  readonly shows: readonly string[];
}

export type FeedEvent =
  | { readonly type: "put"; readonly entry: FeedEntry; readonly previous: FeedEntry | undefined }
  | {
      readonly type: "delete";
      readonly key: string;
      readonly revision: number;
      readonly previous: FeedEntry | undefined;
    }
  | {
      readonly type: "damaged";
      /** Not always known. */
      readonly key: string | undefined;
      readonly revision: number;
      readonly why: string;
      readonly sealed?: true;
    };

export type FeedItem =
  | { readonly type: "events"; readonly events: readonly FeedEvent[] }
  | { readonly type: "progress"; readonly revision: number }
  /** The store is no longer the one that told what came before. */
  | { readonly type: "setBack"; readonly why: string };
