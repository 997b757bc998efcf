/**
 * A linearizable revision for many readers at the price of one (design, section 5): every call that comes
 * before a round trip is sent shares it. While as many trips as may be under way are, the next gathers.
 *
 *     at most 1 under way:   a b → trip 1 (a b)     c d e arrive meanwhile → trip 2 (c d e), sent when trip 1 is back
 */
export interface ReadIndex {
  current(): Promise<number>;
  /** Round trips made so far. */
  readonly trips: number;
}

/**
 * More than one trip under way spares a reader the wait for a trip that it cannot use; each further one costs the
 * store a read.
 */
export function createReadIndex(fetch: () => Promise<number>, maxUnderWay = 1): ReadIndex {
  let trips = 0;
  let underWay = 0;
  let gathering: Gathering | undefined;

  const send = (): void => {
    if (gathering === undefined || underWay >= maxUnderWay) return;
    const { settle } = gathering;
    gathering = undefined;
    trips += 1;
    underWay += 1;
    // Also what throws at once is the trip's failure.
    const trip = Promise.resolve().then(fetch);
    settle(trip);
    trip.then(finished, finished);
  };
  const finished = (): void => {
    underWay -= 1;
    send();
  };

  return {
    current() {
      if (gathering === undefined) {
        gathering = newGathering();
        // A trip leaves at the end of this turn of the microtask queue, so that callers of one turn share it.
        queueMicrotask(send);
      }
      return gathering.answer;
    },
    get trips() {
      return trips;
    },
  };
}

interface Gathering {
  readonly answer: Promise<number>;
  readonly settle: (trip: Promise<number>) => void;
}

function newGathering(): Gathering {
  let settle: Gathering["settle"] = () => {};
  const answer = new Promise<number>((resolve) => {
    settle = resolve;
  });
  return { answer, settle };
}
