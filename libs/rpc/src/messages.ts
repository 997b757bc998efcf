import type { Collection, Target } from "@orch/status/target.js";

/** `proto/watch_cache.proto` and `proto/resource.proto` as plain values. Absent text is "", an absent number 0. */
export interface GetRequest extends Target {
  /** As the client gave it; "" when it gave none. */
  readonly resourceVersion: string;
  /** How the answer is written, as libs/render spells a form; "" for plain JSON. */
  readonly form: string;
}

export interface ObjectReply {
  readonly body: Buffer;
}

export interface ListRequest extends Collection {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** 0: all. */
  readonly limit: number;
  readonly continueToken: string;
  /** Refused for a list; carried so that it is refused together with what else is wrong. */
  readonly sendInitialEvents?: boolean | undefined;
  readonly form: string;
  /** The client takes gzip: a large body may come as such. It begins with 1f 8b then, as no other body does. */
  readonly gzip: boolean;
}

export interface WatchRequest extends Collection {
  /** "" for all objects. */
  readonly name: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly sendInitialEvents?: boolean | undefined;
  readonly allowBookmarks: boolean;
  /** 0: until either side ends it. */
  readonly timeoutMs: number;
  readonly form: string;
}

/** The next bytes of a list's or watch's body. */
export interface Chunk {
  readonly body: Buffer;
  /** Of the whole body, all its chunks; in the first one, where it is known then. */
  readonly length?: number;
  /**
   * Says once that nobody reads the body any more: its memory is written to again then. Does not cross the network: there
   * the transport says so when it has copied the body. Whoever can not tell need not say. Such a chunk goes to one stream.
   */
  readonly release?: () => void;
  /** Of events that are sent as they happen. */
  readonly live?: Live;
}

export interface Live {
  /** How many events there are in the body; 1 at least. */
  readonly events: number;
  /** When the oldest of them was known to be committed: milliseconds since 1970, with fractions. */
  readonly since: number;
}

export type StatusRequest = Readonly<Record<string, never>>;

export interface StatusReply {
  readonly ready: boolean;
  readonly revision: number;
  readonly message: string;
  /** Of `start-up-hooks.ts`. */
  readonly unfinished: readonly string[];
}

export type WriteVerb = "create" | "update" | "delete" | "deletecollection" | "patch";

export interface WriteUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface WriteRequest extends Target {
  readonly verb: WriteVerb;
  readonly body: Buffer;
  readonly contentType: string;
  /** The query's options as the client gave them: dryRun, fieldManager, fieldValidation, gracePeriodSeconds… */
  readonly options: Readonly<Record<string, string>>;
  readonly user: WriteUser;
  readonly form: string;
  /** "" where the client sent none. */
  readonly userAgent: string;
  /** The header, "" where the client sent none. */
  readonly ifMatch: string;
}

export interface WriteReply {
  /** HTTP status of a success: 200, 201 or 202. */
  readonly code: number;
  readonly body: Buffer;
  readonly warnings: readonly string[];
}
