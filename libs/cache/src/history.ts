import type { Change, Item } from "./change.js";

export interface HistoryOptions {
  /** Changes younger than this are kept while `maxBytes` allows. */
  readonly keepMs: number;
  /** Bytes that kept changes may hold in superseded states. */
  readonly maxBytes: number;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
}

/** The changes of one collection in revision order, oldest dropped by age and by bytes. */
export interface History<I extends Item> {
  append(change: Change<I>): void;
  /** Changes after `revision`; undefined when some of them were dropped, or when there are more than `most`. */
  since(revision: number, most?: number): readonly Change<I>[] | undefined;
  /** Puts what was before in front: changes up to this history's begin, of one that ends there. */
  precede(older: History<I>): void;
  /** Drops what is over age; called now and then so that a quiet collection lets go too. */
  trim(): void;
  readonly bytes: number;
  /** The oldest revision that {@link since} knows what came after. */
  readonly floor: number;
}

// put@5 put@6 delete@9, begin 4:   since(4) → all three   since(6) → [9]   since(3) → undefined
// drop 5 (too old): begin becomes 5, since(5) → [6, 9], since(4) → undefined.
export function createHistory<I extends Item>(begin: number, options: HistoryOptions): History<I> {
  let kept: (Change<I> | undefined)[] = [];
  /** When each was kept: its own array, so that a time is eight bytes and not an object. */
  let times: number[] = [];
  let head = 0;
  let floor = begin;
  let bytes = 0;

  const weight = (change: Change<I>): number => 200 + (change.previous?.size ?? 0);

  const dropOldest = (): void => {
    const oldest = kept[head];
    if (oldest === undefined) return;
    floor = oldest.revision;
    bytes -= weight(oldest);
    // The slot itself goes later: what it held must not wait for that.
    kept[head] = undefined;
    head += 1;
    if (head > 1024 && head * 2 > kept.length) {
      kept = kept.slice(head);
      times = times.slice(head);
      head = 0;
    }
  };

  const trim = (): void => {
    const limit = options.now() - options.keepMs;
    for (;;) {
      const oldest = times[head];
      if (oldest === undefined || (oldest >= limit && bytes <= options.maxBytes)) return;
      dropOldest();
    }
  };

  const indexAfter = (revision: number): number => {
    let low = head;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = kept[middle];
      if (entry !== undefined && entry.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    append(change) {
      kept.push(change);
      times.push(options.now());
      bytes += weight(change);
      trim();
    },
    since(revision, most = Number.POSITIVE_INFINITY) {
      if (revision < floor) return undefined;
      const begin = indexAfter(revision);
      return kept.length - begin > most ? undefined : kept.slice(begin).filter((change) => change !== undefined);
    },
    precede(older) {
      const before = older.since(older.floor) ?? [];
      const now = options.now();
      kept = [...before, ...kept.slice(head)];
      times = [...before.map(() => now), ...times.slice(head)];
      head = 0;
      floor = older.floor;
      bytes += older.bytes;
      trim();
    },
    trim,
    get bytes() {
      return bytes;
    },
    get floor() {
      return floor;
    },
  };
}
