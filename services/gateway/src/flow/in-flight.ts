import type { Identified } from "../call.js";
import { type Limiter, tooManyRequests } from "./limiter.js";
import { type AllRequestCounts, isReadOnly } from "./request-counts.js";
import { noSeats, type Seats } from "./seats.js";

export interface InFlightLimits {
  /** Requests that only read; 0: any number. */
  readonly reads: number;
  /** Requests that change something; 0: any number. */
  readonly writes: number;
  /** Whose requests are never refused. */
  readonly mastersGroup: string;
}

/** Nobody waits. */
interface InFlight extends Limiter {
  enter(call: Identified): Seats;
}

/** Without flow control (`--enable-priority-and-fairness=false`): two bounds and no queue; watches do not count. */
export function limitInFlight({ reads, writes, mastersGroup }: InFlightLimits, counts: AllRequestCounts): InFlight {
  const running = { reads: 0, writes: 0 };
  const bounds = { reads, writes };
  return {
    enter(call) {
      if (call.verb === "watch") return noSeats;
      const sort = isReadOnly(call.verb) ? "reads" : "writes";
      if (bounds[sort] === 0) return noSeats;
      if (running[sort] >= bounds[sort] && !isMaster(call, mastersGroup)) throw tooManyRequests();
      const count = sort === "reads" ? counts.readOnly.running : counts.mutating.running;
      running[sort]++;
      count.enter();
      return once(() => {
        running[sort]--;
        count.leave();
      });
    },
  };
}

function isMaster({ user }: Identified, mastersGroup: string): boolean {
  return user.groups.includes(mastersGroup);
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
