import type { ClusterEvent } from "../framework/events.js";

/** Events while pods are being scheduled: those that a pod missed are judged when it comes back. */
export interface InFlight {
  begin(key: string): void;
  /** Events since the pod was taken, oldest first; none where it was not. */
  since(key: string): readonly ClusterEvent[];
  end(key: string): void;
  has(key: string): boolean;
  record(event: ClusterEvent): void;
  /** Events that are kept. */
  readonly size: number;
}

/**
 * A pod remembers how many events there were when it was taken; events before the oldest pod are let go.
 *
 * a taken, e1, b taken, e2   →   since(a) e1 e2, since(b) e2;   a ends   →   e2 is kept
 */
export function createInFlight(): InFlight {
  // Pods are taken one after the other: the first of the map has the earliest count.
  const taken = new Map<string, number>();
  let events: ClusterEvent[] = [];
  let dropped = 0;
  return {
    get size() {
      return events.length;
    },
    begin: (key) => {
      taken.delete(key);
      taken.set(key, dropped + events.length);
    },
    since: (key) => {
      const count = taken.get(key);
      return count === undefined ? [] : events.slice(count - dropped);
    },
    has: (key) => taken.has(key),
    record: (event) => {
      if (taken.size > 0) events.push(event);
    },
    end: (key) => {
      if (!taken.delete(key)) return;
      const oldest = taken.values().next();
      const keepFrom = oldest.done === true ? dropped + events.length : oldest.value;
      // In bulk: each event is moved once on average.
      if (keepFrom - dropped <= events.length / 2 && taken.size > 0) return;
      events = events.slice(keepFrom - dropped);
      dropped = keepFrom;
    },
  };
}
