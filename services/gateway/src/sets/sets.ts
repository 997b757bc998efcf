import type { Catalog, Kind } from "@orch/api/catalog.js";
import type { CatalogHolder } from "@orch/api/custom/live-catalog.js";
import type { Authorizer } from "@orch/auth/authorizer.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Transport } from "@orch/client/transport.js";
import { setsGroup } from "@orch/naming/naming.js";
import type { Clock } from "@orch/status/clock.js";
import type { Target } from "@orch/status/target.js";
import type { Negotiated, Wanted } from "../call.js";
import type { Responder } from "../respond.js";
import { timeLimitOf } from "../time-limit.js";
import { serveApply } from "./apply-set.js";
import { type Asker, createAsker } from "./ask.js";
import type { CarryOutDeps } from "./carry-out.js";
import { serveDelete } from "./delete-set.js";
import { createOperations, type Operations, type Running } from "./operations.js";
import { createRecord, type RecordDeps, type SetRecord } from "./record.js";
import { isSet, type Mark } from "./set-object.js";

export interface SetsOptions extends RecordDeps {
  readonly catalog: CatalogHolder;
  readonly learn: (target: Target) => Promise<void>;
  readonly authorizer: Authorizer;
  readonly respond: Responder;
  /** By which requests are sent as a user, to be judged as every other. */
  readonly transportAs: (user: UserInfo) => Transport;
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

/** Whether sets are served: `--runtime-config` says so. */
export function hasSets(builtIn: Catalog): boolean {
  return builtIn.resource(setsGroup, "v1alpha1", "sets") !== undefined;
}

/** Answers writes of sets. */
export interface Sets {
  /** Undefined for a write that is not one of a set as a whole. */
  of(kind: Kind, target: Target): ((call: Negotiated, wanted: Wanted) => Promise<void>) | undefined;
}

export function createSets(options: SetsOptions): Sets {
  const deps: SetsDeps = { ...options, record: createRecord(options), operations: createOperations(options) };
  const serve = (call: Negotiated, wanted: Wanted): Promise<void> => {
    // Each request of the set takes seats of its own, and would wait for those that this one holds.
    call.seats.release();
    const limitMs = timeLimitOf(call.request.query, deps.requestTimeoutMs);
    return deps.operations.run(limitMs, (operation) => {
      const change = { call, wanted, operation, asker: askerOf(deps, call, operation) };
      return call.verb === "delete" ? serveDelete(deps, change) : serveApply(deps, change);
    });
  };
  return { of: (kind, { subresource }) => (isSet(kind) && subresource === "" ? serve : undefined) };
}

/** A request that changes a set. */
export interface SetChange {
  readonly call: Negotiated;
  readonly wanted: Wanted;
  readonly operation: Running;
  readonly asker: Asker;
}

function askerOf({ transportAs, clock }: SetsDeps, { user, request }: Negotiated, { until }: Running): Asker {
  const userAgent = request.header("user-agent") ?? "";
  return createAsker(transportAs(user), { userAgent, clock, deadline: until });
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
