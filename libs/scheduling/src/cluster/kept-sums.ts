/** Sums that are kept for those who may ask for them again, of which the ones asked for last stay. */
export interface KeptSums<T> {
  get(text: string): T | undefined;
  /** `size`: of domains that it holds now; given again when that has changed. */
  set(text: string, value: T, size: number): void;
  clear(): void;
}

/** Of pods that come in turns. */
const mostKept = 64;
/** Domains of all that is kept: some ten megabytes. */
const mostDomains = 1 << 18;

export function createKeptSums<T>(): KeptSums<T> {
  const kept = new Map<string, { readonly value: T; readonly size: number }>();
  let domains = 0;
  const remove = (text: string): void => {
    domains -= kept.get(text)?.size ?? 0;
    kept.delete(text);
  };
  return {
    get: (text) => kept.get(text)?.value,
    set(text, value, size) {
      // To the end of the map: what is at its beginning has not been asked for the longest.
      remove(text);
      kept.set(text, { value, size });
      domains += size;
      for (const oldest of kept.keys()) {
        if (kept.size <= mostKept && domains <= mostDomains) return;
        remove(oldest);
      }
    },
    clear() {
      kept.clear();
      domains = 0;
    },
  };
}
