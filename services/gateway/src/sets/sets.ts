import type { Catalog, Kind } from "@orch/api/catalog.js";
import { setsGroup } from "@orch/naming/naming.js";
import type { Target } from "@orch/status/target.js";
import type { Negotiated, Wanted } from "../call.js";
import type { Staging } from "../staging.js";
import { timeLimitOf } from "../time-limit.js";
import { serveApply } from "./apply-set.js";
import { type Asker, createAsker } from "./ask.js";
import type { SetsDeps, SetsOptions } from "./change.js";
import { serveDelete } from "./delete-set.js";
import { createOperations, type Running } from "./operations.js";
import { createRecord } from "./record.js";
import { isSet } from "./set-object.js";
import { type GatheredWarnings, gatherWarnings } from "./warnings.js";

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
      const warnings = gatherWarnings();
      const askerIn = (staging?: Staging): Asker => askerOf(deps, call, { operation, warnings, staging });
      const change = { call, wanted, operation, asker: askerIn(), askerIn, warnings };
      return call.verb === "delete" ? serveDelete(deps, change) : serveApply(deps, change);
    });
  };
  return { of: (kind, { subresource }) => (isSet(kind) && subresource === "" ? serve : undefined) };
}

interface Asking {
  readonly operation: Running;
  readonly warnings: GatheredWarnings;
  readonly staging: Staging | undefined;
}

function askerOf(
  { transportAs, clock }: SetsDeps,
  { user, request }: Negotiated,
  { operation, warnings, staging }: Asking,
): Asker {
  const userAgent = request.header("user-agent") ?? "";
  return createAsker(transportAs(user, staging), { userAgent, clock, deadline: operation.until, warnings });
}
