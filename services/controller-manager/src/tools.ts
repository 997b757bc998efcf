import type { Discovery } from "@orch/client/discovery.js";
import type { Client } from "@orch/client/http/http.js";
import type { Mirror } from "@orch/client/mirror.js";
import { isOrdinary } from "@orch/client/passing.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Telemetry } from "./metrics.js";
import type { Informers } from "./rim/informers.js";

/** What every controller is given. */
export interface ControllerTools {
  readonly client: Client;
  readonly discovery: Discovery;
  /** What the process follows, for all of its controllers. */
  readonly mirror: Mirror;
  /** Views of what several controllers look at, one of each collection. */
  readonly informers: Informers;
  readonly naming: Naming;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly telemetry: Telemetry;
}

/** Says what failed, which is tried again, and counts it. */
export function failureTeller({ log, telemetry }: Pick<ControllerTools, "log" | "telemetry">, controller: string) {
  return (err: unknown, fields: object = {}): void => {
    telemetry.failed(controller);
    if (isOrdinary(err)) log.debug({ err, controller, ...fields }, "a controller tries again");
    else log.warn({ err, controller, ...fields }, "a controller failed; it tries again");
  };
}
