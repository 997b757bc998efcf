import type { Naming } from "@orch/naming/naming.js";
import { formatMs } from "@orch/schema/formats/duration.js";
import { type Admitted, admitted, type Identified } from "../call.js";
import type { Limiter } from "../flow/limiter.js";
import { noSeats, type Seats } from "../flow/seats.js";
import { isLongRunning } from "../long-running.js";
import type { Stage } from "./stages.js";

export interface LimitDeps {
  readonly naming: Naming;
  readonly limiter: Limiter;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** Waits for the seats that the call needs, of flow control; `measured` gives them back. */
export function limit({ limiter, now, naming }: LimitDeps): Stage<Identified, Admitted> {
  return (call) => {
    // What lasts as long as two others want would hold its seats for ever.
    if (call.verb !== "watch" && isLongRunning(call)) return admitted(call, noSeats);
    const seats = limiter.enter(call);
    if (!(seats instanceof Promise)) return admitted(call, seats);
    const since = now();
    return seats.then((given: Seats) => {
      const waitedMs = now() - since;
      call.response.waitedMs += waitedMs;
      call.audit?.annotate([[naming.latencyKey("apf-queue-wait"), formatMs(waitedMs)]]);
      return admitted(call, given);
    });
  };
}
