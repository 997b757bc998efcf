import type { Admitted, Identified } from "../call.js";
import type { Limiter } from "../flow/limiter.js";
import type { Seats } from "../flow/seats.js";
import type { Stage } from "./stages.js";

export interface LimitDeps {
  readonly limiter: Limiter;
}

/** Waits for the seats that the call needs, of flow control; `measured` gives them back. */
export function limit(limiter: Limiter): Stage<Identified, Admitted> {
  return (call) => {
    const admitted = (seats: Seats): Admitted => ({ ...call, seats });
    const seats = limiter.enter(call);
    return seats instanceof Promise ? seats.then(admitted) : admitted(seats);
  };
}
