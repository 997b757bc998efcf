import type { Clock } from "@orch/status/clock.js";
import { Crowd, type Member, outside } from "@orch/status/crowd.js";

/** A call that ends when its deadline passes. */
export interface Mortal extends Member {
  /** In the clock's milliseconds. */
  readonly deadline: number;
  expire(): void;
}

export interface Deadlines<M extends Mortal = Mortal> {
  add(mortal: M): void;
  remove(mortal: M): void;
  /** Those of calls under way. */
  members(): readonly M[];
}

const sweepEveryMs = 20;

/**
 * Deadlines of many short calls under one coarse timer (up to 20 ms late): a timer per call would cost more
 * than the rest of the call. The sweep looks at what is in flight, so a finished call leaves nothing behind.
 */
export function createDeadlines<M extends Mortal = Mortal>(clock: Clock): Deadlines<M> {
  const alive = new Crowd<M>();
  let running = false;

  const sweep = (): void => {
    running = false;
    const now = clock.monotonic();
    for (const mortal of alive.members()) {
      // What has expired may have ended others.
      if (mortal.place === outside || mortal.deadline > now) continue;
      alive.delete(mortal);
      mortal.expire();
    }
    start();
  };
  const start = (): void => {
    if (running || alive.size === 0) return;
    running = true;
    clock.after(sweepEveryMs, sweep);
  };

  return {
    add: (mortal) => {
      alive.add(mortal);
      start();
    },
    remove: (mortal) => {
      alive.delete(mortal);
    },
    members: () => alive.members(),
  };
}
