/** What came of a batch of work that may have been broken off. */
export interface Started<T> {
  readonly done: readonly T[];
  readonly failures: readonly unknown[];
  /** Never begun, because something before them failed. */
  readonly skipped: number;
}

/**
 * Does it once for each item, in batches of 1, 2, 4, 8 …: each after the former had no error, so that what cannot work is
 * not tried many times at once.
 */
export async function slowStart<I, T>(items: readonly I[], work: (item: I) => Promise<T>): Promise<Started<T>> {
  const done: T[] = [];
  const failures: unknown[] = [];
  let begun = 0;
  for (let size = 1; begun < items.length && failures.length === 0; size *= 2) {
    const batch = items.slice(begun, begun + size);
    begun += batch.length;
    for (const outcome of await Promise.allSettled(batch.map(work))) {
      if (outcome.status === "fulfilled") done.push(outcome.value);
      else failures.push(outcome.reason);
    }
  }
  return { done, failures, skipped: items.length - begun };
}
