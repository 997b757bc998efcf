import type { Kind } from "@orch/api/catalog.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Deprecation } from "./deprecation.js";
import type { Seats } from "./flow/seats.js";
import type { Exchange } from "./http/exchange.js";
import type { Route } from "./path.js";
import type { Representation } from "./representation.js";
import type { Verb } from "./verbs.js";

/** A request on its way through the stages; each stage sets what it learned, once, for those behind it. */
export interface Call extends Exchange {
  readonly route: Route;
  /** Plain JSON until negotiated. */
  representation: Representation;
  /** Of a resource; the lower-case method elsewhere. */
  readonly verb: Verb | string;
  /** Who sent it. */
  sender: UserInfo | undefined;
  /** Whom it is taken for: the sender, or the user that the sender impersonates. */
  user: UserInfo | undefined;
  /** What flow control lets it hold; given back when the call is over, if not before. */
  seats: Seats | undefined;
  /** What the path is about, once it is known to be served. */
  kind: Kind | undefined;
  /** Set where the kind's version is deprecated. */
  deprecation: Deprecation | undefined;
  /** What the audit event of the request will say beyond its fields. */
  readonly auditAnnotations: Map<string, string>;
}

/** Answers at once where nothing has to be waited for: a promise a stage would cost more than most stages do. */
export type Handler = (call: Call) => void | Promise<void>;
export type Stage = (call: Call, next: Handler) => void | Promise<void>;

/** The stages around a handler, the first outermost. */
export function through(stages: readonly Stage[], handler: Handler): Handler {
  return stages.reduceRight<Handler>((next, stage) => (call) => stage(call, next), handler);
}
