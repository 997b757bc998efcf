/**
 * A linearizable revision for many readers at the price of one: every call that comes
 * before a round trip is sent shares it; while one is under way the next gathers.
 *
 *     a b → trip 1 (a b)     c d e arrive meanwhile → trip 2 (c d e), sent when trip 1 is back
 */
export interface ReadIndex {
  /** @throws what `late` makes when the trip and the wait for it together took too long */
  current(): Promise<number>;
  /** Round trips made so far. */
  readonly trips: number;
  /** Calls that they were made for. */
  readonly reads: number;
}

export interface ReadIndexOptions {
  /** Asks the store. */
  readonly fetch: () => Promise<number>;
  /** Milliseconds that readers wait for a trip, its turn included. */
  readonly patienceMs: number;
  readonly late: () => Error;
}

export function createReadIndex({ fetch, patienceMs, late }: ReadIndexOptions): ReadIndex {
  let trips = 0;
  let reads = 0;
  let underWay: Gathering | undefined;
  let gathering: Gathering | undefined;

  const send = (): void => {
    if (gathering === undefined || underWay !== undefined) return;
    const mine = gathering;
    gathering = undefined;
    underWay = mine;
    trips += 1;
    // Also what throws at once is the trip's failure.
    const trip = Promise.resolve().then(fetch);
    trip.then(mine.resolve, mine.reject);
    mine.answer.then(
      () => finished(mine),
      () => finished(mine),
    );
  };
  // A trip that is given up no longer keeps the next one from leaving.
  const finished = (trip: Gathering): void => {
    if (underWay === trip) underWay = undefined;
    send();
  };
  const giveUp = (trip: Gathering): void => {
    if (gathering === trip) gathering = undefined;
    trip.reject(late());
  };

  return {
    current() {
      reads += 1;
      if (gathering === undefined) {
        gathering = newGathering(patienceMs, giveUp);
        // A trip leaves at the end of this turn of the microtask queue, so that callers of one turn share it.
        queueMicrotask(send);
      }
      return gathering.answer;
    },
    get trips() {
      return trips;
    },
    get reads() {
      return reads;
    },
  };
}

interface Gathering {
  readonly answer: Promise<number>;
  readonly resolve: (revision: number) => void;
  readonly reject: (error: unknown) => void;
}

function newGathering(patienceMs: number, giveUp: (gathering: Gathering) => void): Gathering {
  let resolve: Gathering["resolve"] = () => {};
  let reject: Gathering["reject"] = () => {};
  const answer = new Promise<number>((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  const timer = setTimeout(() => giveUp(gathering), patienceMs);
  const stop = (): void => clearTimeout(timer);
  answer.then(stop, stop);
  const gathering = { answer, resolve, reject };
  return gathering;
}
