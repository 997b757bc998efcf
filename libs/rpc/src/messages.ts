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
  /** Invalid for a list. It is carried so that it is reported together with the other errors. */
  readonly sendInitialEvents?: boolean | undefined;
  readonly form: string;
  /** The client accepts gzip: a large body may be compressed. It then begins with 1f 8b, as no other body does. */
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
  /** The length of the whole body, in its first chunk, if it is known by then. */
  readonly length?: number;
  /**
   * Called once when nobody reads the body any more, so that its memory may be used again. It does not cross the network:
   * there, the transport calls it after it has copied the body. Calling it is optional. Such a chunk goes to one stream.
   */
  readonly release?: () => void;
  /** Of events that are sent as they happen. */
  readonly live?: Live;
}

export interface Live {
  /** How many events there are in the body; 1 at least. */
  readonly events: number;
  /** When the commit of the oldest of them was learned: milliseconds since 1970, with fractions. */
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
