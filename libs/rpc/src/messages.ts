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

/** The namespaces that whoever reads may see, where those are not all. */
export interface Permitted {
  readonly namespaces: readonly string[];
  /** Those of which a watch that goes on has shown nothing yet: what is in them comes first. */
  readonly gained?: readonly string[] | undefined;
  /**
   * The newest revision of each collection of rights that is in them. A list that shows a revision of later changes is refused with
   * Conflict: it would lack what they give, and nobody would notice.
   */
  readonly rights?: readonly number[] | undefined;
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
  /** The list shows what is in these alone. */
  readonly permitted?: Permitted | undefined;
  /** Field paths in whose order the list is to be, as the client wrote them; in the order of keys where absent. */
  readonly sort?: string | undefined;
  /** The name of the body that whoever asks has kept of this request, "" for none; it keeps no bodies where absent. */
  readonly kept?: string | undefined;
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
  /** The watch shows what is in these alone. */
  readonly permitted?: Permitted | undefined;
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
  /** Of a watch of permitted namespaces: everything up to this revision has been sent with this. */
  readonly revision?: number;
  /**
   * The name of all bytes behind the first chunk of a list, which has it where the request says that bodies are kept: equal for equal
   * bytes alone. They do not follow where they are what {@link ListRequest.kept} names.
   */
  readonly rest?: string;
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
  /** The `Audit-Id` of the request. */
  readonly auditId?: string | undefined;
  /** What the audit event of the request will say of plugins; nothing where absent. */
  readonly audit?: WriteAudit | undefined;
  /** The answer is to be an explanation of the write, which is a dry run then. */
  readonly explain?: WriteExplain | undefined;
}

export interface WriteExplain {
  /** Why the authorizer lets the writer do it, in its words. */
  readonly reason: string;
  /** Whether the writer may also read the object that is changed. */
  readonly mayRead: boolean;
}

/** What plugins have noted, or that and what they have changed. */
export type WriteAudit = "annotations" | "patches";

export interface WriteReply {
  /** HTTP status: 200, 201 or 202; of a refusal that has more to tell than an error, its own. */
  readonly code: number;
  readonly body: Buffer;
  readonly warnings: readonly string[];
  /** For which the write waited for webhooks. */
  readonly waitedMs?: number;
  /** What plugins have noted for the audit event, where the request asks for that. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** `proto/audit.proto` as plain values. */
export interface AppendRequest {
  /** Events, each one JSON object in a line with its end. */
  readonly lines: Buffer;
  /** How many they are. */
  readonly count: number;
  /** They are to outlive the machine, not just the process, and nothing may make room for others at their cost. */
  readonly strict: boolean;
}

export type AppendReply = Readonly<Record<string, never>>;

/** For what a webhook is asked. */
export type CallPurpose = "conversion" | "mutating" | "validating" | "image";

/** `proto/admission.proto` as plain values. */
export interface CallRequest {
  readonly purpose: CallPurpose;
  /** Where the webhook is: JSON of a WebhookClientConfig. */
  readonly client: string;
  /** The question, JSON. */
  readonly body: Buffer;
  readonly timeoutMs: number;
}

/** Why a webhook gave no answer: no connection, no answer in time, a status that is no success, an answer that is none. */
export type CallFailure = "connection" | "timeout" | "status" | "answer";

export type CallReply =
  | { readonly type: "answered"; readonly body: Buffer }
  | {
      readonly type: "failed";
      readonly failure: CallFailure;
      readonly message: string;
      /** The HTTP status; 0 where there was none. */
      readonly status: number;
    };
