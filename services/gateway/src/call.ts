import type { UserInfo } from "@orch/auth/user.js";
import type { Exchange } from "./exchange.js";
import type { Route } from "./path.js";
import type { Representation } from "./respond.js";
import type { Verb } from "./verbs.js";

/** A request on its way through the stages; each adds what it learned. */
export interface Call {
  readonly exchange: Exchange;
  readonly route: Route;
  readonly representation: Representation;
  /** Of a resource; the lower-case method elsewhere. */
  readonly verb: Verb | string;
  readonly user: UserInfo | undefined;
}

export type Handler = (call: Call) => Promise<void>;
export type Stage = (call: Call, next: Handler) => Promise<void>;

/** The stages around a handler, the first outermost. */
export function through(stages: readonly Stage[], handler: Handler): Handler {
  return stages.reduceRight<Handler>((next, stage) => (call) => stage(call, next), handler);
}
