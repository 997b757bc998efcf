import type { Change, Item } from "./change.js";
import type { State } from "./selection.js";

export interface KeptStatesOptions {
  /** How long a state is kept after it was last wished for. */
  readonly keepMs: number;
  /** Bytes of superseded items that the kept states may hold. */
  readonly maxBytes: number;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
}

/**
 * Earlier states of one collection that somebody is still reading page by page. The sorted tree is copied on write: a
 * state costs nothing until a change comes, and then the few nodes that the changes touch.
 */
export interface KeptStates<I extends Item> {
  /** The present state is wanted for a while longer, whatever changes. */
  wish(): void;
  /** To be called before a change is applied; `state` makes what there is since `from`, if it is to be kept. */
  before(change: Change<I>, from: number, state: () => State<I>): void;
  /** The state at a revision, if it is kept. */
  at(revision: number): State<I> | undefined;
  /** Drops what is over age. */
  trim(): void;
  readonly count: number;
}

/** More lists than this that go on at the same time, each at a version of its own, are read from the store. */
const maxStates = 8;
const never = Number.NEGATIVE_INFINITY;

interface Kept<I extends Item> {
  /** It is the state from this revision on … */
  readonly from: number;
  /** … until before this one. */
  readonly until: number;
  readonly state: State<I>;
  readonly expires: number;
  /** Of items that were superseded while this was the newest kept state: nobody else but older ones holds them. */
  bytes: number;
}

export function createKeptStates<I extends Item>(options: KeptStatesOptions): KeptStates<I> {
  const { keepMs, maxBytes, now } = options;
  // Oldest first.
  let kept: Kept<I>[] = [];
  let bytes = 0;
  let wishedUntil = never;

  const dropOldest = (): void => {
    bytes -= kept.shift()?.bytes ?? 0;
  };

  return {
    wish() {
      wishedUntil = now() + keepMs;
    },
    before(change, from, state) {
      if (wishedUntil > never && wishedUntil > now()) {
        kept.push({ from, until: change.revision, state: state(), expires: wishedUntil, bytes: 0 });
        if (kept.length > maxStates) dropOldest();
      }
      wishedUntil = never;
      const newest = kept.at(-1);
      const { previous } = change;
      if (newest === undefined || previous === undefined || previous.revision > newest.from) return;
      newest.bytes += previous.size;
      bytes += previous.size;
      while (bytes > maxBytes) dropOldest();
    },
    at(revision) {
      const found = kept.find(({ from, until }) => from <= revision && revision < until);
      return found === undefined || found.expires <= now() ? undefined : found.state;
    },
    trim() {
      const time = now();
      kept = kept.filter(({ expires }) => expires > time);
      bytes = kept.reduce((sum, state) => sum + state.bytes, 0);
    },
    get count() {
      return kept.length;
    },
  };
}
