/** Time as an argument: what the client's loops need of a clock. */
export interface Timer {
  /** Milliseconds that only grow. */
  monotonic(): number;
  /** Runs once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** Resolves after `ms`, or at once when the signal aborts: the caller looks at the signal where it matters. */
export function pause(ms: number, by: { readonly clock: Timer; readonly signal: AbortSignal }): Promise<void> {
  if (ms === 0 || by.signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      by.signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = by.clock.after(ms, done);
    by.signal.addEventListener("abort", done);
  });
}
