import type { Decision } from "@orch/auth/authorizer.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { WriteAudit } from "@orch/rpc/messages.js";
import type { HttpRequest } from "../http/request.js";
import type { Route } from "../path.js";

/** Of a request, when its sender is known. */
export interface AuditedCall {
  readonly request: HttpRequest;
  readonly route: Route;
  readonly verb: string;
  readonly sender: UserInfo;
}

/** What the stages tell of a request for its audit events. */
export interface CallAudit {
  /** Its sender is known. @throws ApiError InternalError where the first event must be kept and is not */
  received(call: AuditedCall): void | Promise<void>;
  /** It is taken for somebody else's. */
  impersonated(user: UserInfo): void;
  decided(decision: Decision): void;
  /** The first value of a key stays. */
  annotate(annotations: Iterable<readonly [key: string, value: string]>): void;
  /** Its body, as it came. */
  sent(bytes: Buffer): void;
  /** What of plugins is worth collecting; undefined of a request that is not recorded. */
  readonly wanted: WriteAudit | undefined;
  /** What nobody expected has happened. */
  failed(error: unknown): void;
}
