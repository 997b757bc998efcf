import type { CatalogHolder } from "@orch/api/custom/live-catalog.js";
import type { Authorizer } from "@orch/auth/authorizer.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Transport } from "@orch/client/http/transport.js";
import type { Clock } from "@orch/status/clock.js";
import type { Target } from "@orch/status/target.js";
import type { Negotiated, Wanted } from "../call.js";
import type { Responder } from "../respond.js";
import type { Staging } from "../staging.js";
import type { Asker } from "./ask.js";
import type { CarryOutDeps } from "./carry-out.js";
import type { Operations, Running } from "./operations.js";
import type { RecordDeps, SetRecord } from "./record.js";
import type { Mark } from "./set-object.js";
import type { GatheredWarnings } from "./warnings.js";

export interface SetsOptions extends RecordDeps {
  readonly catalog: CatalogHolder;
  readonly learn: (target: Target) => Promise<void>;
  readonly authorizer: Authorizer;
  readonly respond: Responder;
  /** By which requests are sent as a user, to be judged as every other. */
  readonly transportAs: (user: UserInfo, staging?: Staging) => Transport;
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
  readonly newId: () => string;
  /** See `operations.ts`. */
  readonly isAlone: boolean;
}

export interface SetsDeps extends Omit<SetsOptions, "newId" | "isAlone"> {
  readonly record: SetRecord;
  readonly operations: Operations;
}

/** A request that changes a set. */
export interface SetChange {
  readonly call: Negotiated;
  readonly wanted: Wanted;
  readonly operation: Running;
  readonly asker: Asker;
  /** The same, whose writes are stored together with others. */
  readonly askerIn: (staging: Staging) => Asker;
  /** Of the members' writes. */
  readonly warnings: GatheredWarnings;
}

/** What carrying out a plan needs. */
export function carrying(
  deps: SetsDeps,
  asker: Asker,
  of: { readonly mark: Mark; readonly force: boolean },
): CarryOutDeps {
  return {
    ...{ asker, ...of, clock: deps.clock },
    async serves({ group, version, resource }) {
      if (deps.catalog.now.resource(group, version, resource) !== undefined) return true;
      await deps.learn({ group, version, resource, namespace: "", name: "", subresource: "" });
      return deps.catalog.now.resource(group, version, resource) !== undefined;
    },
  };
}
