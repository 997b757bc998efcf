export interface Backoff {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** How long a pod rests after so many attempts: twice as long each time, up to the longest. */
export function backoffMs(attempts: number, { initialMs, maxMs }: Backoff): number {
  if (attempts <= 0) return 0;
  // 2 ** 1024 is infinite, which the longest bounds as well.
  return Math.min(maxMs, initialMs * 2 ** (attempts - 1));
}
