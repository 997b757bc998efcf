import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { DecisionCaches } from "./decision-caches.js";
import type { Webhooks } from "./webhooks.js";

/** What authentication and authorization are both made with. */
export interface Parts {
  readonly naming: Naming;
  readonly clock: Clock;
  readonly log: Log;
  readonly caches: DecisionCaches;
  readonly webhooks: Webhooks;
  /** In [0, 1). */
  readonly random: () => number;
}
