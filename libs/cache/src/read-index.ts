/**
 * A linearizable revision for many readers at the price of one (design, section 5): every call that comes
 * before a round trip is sent shares it; while one is under way the next gathers.
 *
 *     a b → trip 1 (a b)     c d e arrive meanwhile → trip 2 (c d e), sent when trip 1 is back
 */
export interface ReadIndex {
  current(): Promise<number>;
  /** Round trips made so far. */
  readonly trips: number;
}

export function createReadIndex(fetch: () => Promise<number>): ReadIndex {
  let trips = 0;
  let underWay = false;
  let gathering: Gathering | undefined;

  const send = (): void => {
    if (gathering === undefined || underWay) return;
    const { settle } = gathering;
    gathering = undefined;
    trips += 1;
    underWay = true;
    // Also what throws at once is the trip's failure.
    const trip = Promise.resolve().then(fetch);
    settle(trip);
    trip.then(finished, finished);
  };
  const finished = (): void => {
    underWay = false;
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
