import type { Timer } from "./pause.js";

/**
 * What `run` gives; its signal aborts with `signal`, and after `ms`: then the answer is late, and what waits for it should
 * not wait for ever.
 */
export async function within<T>(
  ms: number,
  by: { readonly clock: Pick<Timer, "after">; readonly signal?: AbortSignal },
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const cancel = by.clock.after(ms, () => late.abort(new Error(`no answer within ${ms} ms`)));
  try {
    return await run(by.signal === undefined ? late.signal : AbortSignal.any([by.signal, late.signal]));
  } finally {
    cancel();
  }
}
