import { type Admitted, admitted, type Identified } from "../call.js";
import type { Limiter } from "../flow/limiter.js";
import type { Seats } from "../flow/seats.js";
import type { Stage } from "./stages.js";

export interface LimitDeps {
  readonly limiter: Limiter;
}

/** Waits for the seats that the call needs, of flow control; `measured` gives them back. */
export function limit(limiter: Limiter): Stage<Identified, Admitted> {
  return (call) => {
    const known = (seats: Seats): Admitted => admitted(call, seats);
    const seats = limiter.enter(call);
    return seats instanceof Promise ? seats.then(known) : known(seats);
  };
}
