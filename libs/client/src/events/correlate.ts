/** Something that is told about an object. */
export interface Sighting {
  /** Tells objects apart. */
  readonly object: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** A name for its event. `at`: milliseconds since 1970. */
  readonly newName: (at: number) => string;
}

/** What is to be stored: as a new event, or where `count` is above 1, over the event of that name. Times in milliseconds since 1970. */
export interface Told {
  readonly name: string;
  readonly message: string;
  /** It stands for different messages. */
  readonly combined: boolean;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface Correlator {
  /** Undefined: too much was told about the object. */
  see(sighting: Sighting): Told | undefined;
}

/** Different messages with one reason: from this many on they are told as one. */
const mostSimilar = 10;
const similarForMs = 600_000;
/** About one object: so many at once, then one in so long. */
const burst = 25;
const refillMs = 300_000;
const remembered = 4096;

interface Similar {
  readonly messages: Set<string>;
  lastAt: number;
}

interface Allowance {
  left: number;
  at: number;
}

/**
 * What many sightings are to their reader: the same one again is counted, ten different messages with one reason within ten
 * minutes become one event `(combined from similar events): …`, and of one object 25 are told at once, then one in five
 * minutes.
 */
export function createCorrelator({ now }: { readonly now: () => number }): Correlator {
  const similar = createLatest<Similar>();
  const counted = createLatest<Told>();
  const allowances = createLatest<Allowance>();

  const gathered = (key: string, message: string, at: number): boolean => {
    const known = similar.get(key);
    const group: Similar =
      known === undefined || at - known.lastAt > similarForMs ? { messages: new Set(), lastAt: at } : known;
    group.lastAt = at;
    if (group.messages.size < mostSimilar) group.messages.add(message);
    similar.set(key, group);
    return group.messages.size >= mostSimilar;
  };
  const allowed = (object: string, at: number): boolean => {
    const { left, at: since } = allowances.get(object) ?? { left: burst, at };
    const now = Math.min(burst, left + (at - since) / refillMs);
    allowances.set(object, { left: now >= 1 ? now - 1 : now, at });
    return now >= 1;
  };
  return {
    see({ object, type, reason, message, newName }) {
      const at = now();
      const group = JSON.stringify([object, type, reason]);
      const combined = gathered(group, message, at);
      const key = combined ? group : JSON.stringify([object, type, reason, message]);
      const before = counted.get(key);
      const told: Told = {
        name: before?.name ?? newName(at),
        message: combined ? `(combined from similar events): ${message}` : message,
        combined,
        count: (before?.count ?? 0) + 1,
        firstAt: before?.firstAt ?? at,
        lastAt: at,
      };
      counted.set(key, told);
      return allowed(object, at) ? told : undefined;
    },
  };
}

/** The latest entries, as many as are remembered. */
function createLatest<V>() {
  const entries = new Map<string, V>();
  return {
    get: (key: string): V | undefined => entries.get(key),
    set(key: string, value: V): void {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= remembered) return;
      for (const oldest of entries.keys()) {
        entries.delete(oldest);
        return;
      }
    },
  };
}
