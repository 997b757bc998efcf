/** What has changed, for those who add to what they know instead of adding all of it up again. */
export interface ChangeLog<T> {
  /** To ask {@link since} by, later. */
  readonly end: number;
  /** Visits the changes since, in their order. False: some of them are no longer kept. */
  since(mark: number, visit: (change: T) => void): boolean;
}

export interface ChangeRecorder<T> extends ChangeLog<T> {
  /** `weight`: how much the change keeps in memory, beside others. */
  record(change: T, weight: number): void;
}

interface Kept<T> {
  readonly change: T;
  readonly weight: number;
}

/**
 * Keeps the latest changes, of no more than `most` weight. It holds none until {@link ChangeLog.end} has been read.
 *
 * record(a), mark, record(b), record(c)   →   since(mark): b c
 */
export function createChangeLog<T>(most: number): ChangeRecorder<T> {
  let kept: Kept<T>[] = [];
  /** Where in `kept` the first stands that counts. */
  let first = 0;
  /** How many changes were recorded before that one. */
  let begin = 0;
  let weight = 0;
  let isRead = false;
  const endOf = (): number => begin + kept.length - first;
  return {
    get end() {
      isRead = true;
      return endOf();
    },
    since(mark, visit) {
      if (mark < begin) return false;
      for (let i = first + mark - begin; i < kept.length; i++) {
        const each = kept[i];
        if (each !== undefined) visit(each.change);
      }
      return true;
    },
    record(change, own) {
      // Nobody has a mark.
      if (!isRead) return;
      kept.push({ change, weight: own });
      weight += own;
      while (weight > most) {
        weight -= kept[first]?.weight ?? 0;
        first += 1;
        begin += 1;
      }
      if (first * 2 <= kept.length) return;
      kept = kept.slice(first);
      first = 0;
    },
  };
}
