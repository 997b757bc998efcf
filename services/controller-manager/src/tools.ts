import type { Discovery } from "@orch/client/discovery.js";
import type { Client } from "@orch/client/http.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Telemetry } from "./metrics.js";

/** What every controller is given. */
export interface ControllerTools {
  readonly client: Client;
  readonly discovery: Discovery;
  readonly naming: Naming;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly telemetry: Telemetry;
}

/** What comes and goes by itself: the server is away, history is kept no more, somebody else was faster. */
const ordinary: ReadonlySet<string> = new Set(["ServiceUnavailable", "Expired", "Conflict"]);

/** Says what failed, which is tried again, and counts it. */
export function failureTeller({ log, telemetry }: Pick<ControllerTools, "log" | "telemetry">, controller: string) {
  return (err: unknown, fields: object = {}): void => {
    telemetry.failed(controller);
    if (err instanceof ApiError && ordinary.has(err.reason))
      log.debug({ err, controller, ...fields }, "a controller tries again");
    else log.warn({ err, controller, ...fields }, "a controller failed; it tries again");
  };
}
