/**
 * A linearizable revision for many readers at the price of one (design, section 5): every call that comes
 * before a round trip is sent shares it; while one is under way the next gathers.
 *
 *     a b   → trip 1 (a b)      c d e arrive meanwhile → trip 2 (c d e), sent when trip 1 is back
 */
export interface ReadIndex {
  current(): Promise<number>;
  /** Round trips made so far. */
  readonly trips: number;
}

export function createReadIndex(fetch: () => Promise<number>): ReadIndex {
  let trips = 0;
  let underWay: Promise<unknown> | undefined;
  let gathering: Promise<number> | undefined;

  const send = (): Promise<number> => {
    gathering = undefined;
    trips += 1;
    const trip = fetch();
    underWay = trip.then(finished, finished);
    return trip;
  };
  const finished = (): void => {
    underWay = undefined;
  };

  return {
    current() {
      // A fresh trip leaves at the end of this turn of the microtask queue, so that callers of one tick share it.
      gathering ??= (underWay ?? Promise.resolve()).then(send);
      return gathering;
    },
    get trips() {
      return trips;
    },
  };
}
