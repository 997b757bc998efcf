import type { Call } from "../call.js";
import { type Limiter, tooManyRequests } from "./limiter.js";
import { type AllRequestCounts, isReadOnly } from "./request-counts.js";
import type { Seats } from "./seats.js";

export interface InFlightLimits {
  /** Requests that only read; 0: any number. */
  readonly reads: number;
  /** Requests that change something; 0: any number. */
  readonly writes: number;
  /** Whose requests are never refused. */
  readonly mastersGroup: string;
}

/** Without flow control (`--enable-priority-and-fairness=false`): two bounds and no queue; watches do not count. */
export function limitInFlight({ reads, writes, mastersGroup }: InFlightLimits, counts: AllRequestCounts): Limiter {
  const running = { reads: 0, writes: 0 };
  const bounds = { reads, writes };
  return {
    enter(call) {
      if (call.verb === "watch") return;
      const sort = isReadOnly(call.verb) ? "reads" : "writes";
      if (bounds[sort] === 0) return;
      if (running[sort] >= bounds[sort] && !isMaster(call, mastersGroup)) throw tooManyRequests();
      const count = sort === "reads" ? counts.readOnly.running : counts.mutating.running;
      running[sort]++;
      count.enter();
      call.seats = once(() => {
        running[sort]--;
        count.leave();
      });
    },
  };
}

function isMaster({ user }: Call, mastersGroup: string): boolean {
  return user?.groups.includes(mastersGroup) === true;
}

function once(giveBack: () => void): Seats {
  let held = true;
  return {
    stream: undefined,
    write: undefined,
    release() {
      if (!held) return;
      held = false;
      giveBack();
    },
  };
}
