import type { Entry } from "@orch/store/store.js";
import type { StoredState } from "./recent-states.js";

/** One try on one state of an object; not done when the state changed meanwhile, to `current`. */
export type Attempt<T> =
  | { readonly done: true; readonly value: T }
  | { readonly done: false; readonly current: Entry | undefined };

export const done = <T>(value: T): Attempt<T> => ({ done: true, value });

/**
 * The one loop of every write: an attempt on a state (undefined: there is no such object), and again on what others made
 * of it meanwhile. An attempt that sees that it can not go on throws.
 */
export async function untilDone<T>(
  first: StoredState | undefined,
  attempt: (state: StoredState | undefined) => Promise<Attempt<T>>,
): Promise<T> {
  for (let state = first; ; ) {
    const tried = await attempt(state);
    if (tried.done) return tried.value;
    state = tried.current;
  }
}
