import type { FeedItem } from "@orch/rpc/feed/messages.js";
import { type ApiError, unavailable } from "@orch/status/api-error.js";
import type { FollowedEvent, Follower } from "@orch/store/follow.js";
import type { Revision } from "@orch/store/revision.js";
import type { Entry } from "@orch/store/store.js";

export interface TapOptions {
  /** Of keys, values and the states before them that are kept for whoever comes back. */
  readonly maxBytes: number;
  /** Without anybody for so long nothing is kept any more. */
  readonly idleMs: number;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** Who follows a tap. Items are shared with others. */
export interface Tapped {
  item(item: FeedItem): void;
  /** Called at most once, last. */
  end(error?: ApiError): void;
}

/** What a follower of a store is told, for others who follow the same: the store has one watch for all of them. */
export interface Tap {
  /** Tells the one below and the tap. */
  over(below: Follower): Follower;
  /** From now on changes are kept: somebody is about to load, and will follow from there. */
  expect(): void;
  /** Everything from a revision on; undefined where that is not known here any more. Gives how to leave. */
  join(from: number, tapped: Tapped): (() => void) | undefined;
  readonly followers: number;
}

interface Kept {
  readonly item: FeedItem;
  /** Revision of its last change. */
  readonly last: number;
  readonly bytes: number;
}

/** So many that are gone are let go of together: one by one would move the rest each time. */
const mostGone = 1024;
/** Stands where something was kept: its memory must not wait for the others'. */
const gone: Kept = { item: { type: "progress", revision: 0 }, last: 0, bytes: 0 };

export function createTap({ maxBytes, idleMs, now }: TapOptions): Tap {
  const joined = new Set<Tapped>();
  let kept: Kept[] = [];
  /** Before it nothing is kept any more. */
  let head = 0;
  let bytes = 0;
  /** All changes after this revision are kept; undefined while nothing is followed. */
  let floor: number | undefined;
  let reached = 0;
  let wishedUntil = Number.NEGATIVE_INFINITY;

  const isWished = (): boolean => joined.size > 0 || now() < wishedUntil;
  const expect = (): void => {
    wishedUntil = now() + idleMs;
  };

  const tell = (item: FeedItem): void => {
    for (const tapped of [...joined]) tapped.item(item);
  };
  const endAll = (error: ApiError | undefined): void => {
    const all = [...joined];
    joined.clear();
    for (const tapped of all) tapped.end(error);
  };

  const forget = (at: number | undefined): void => {
    kept = [];
    head = 0;
    bytes = 0;
    floor = at;
  };

  const keep = (item: Kept): void => {
    kept.push(item);
    bytes += item.bytes;
    for (let oldest = kept[head]; bytes > maxBytes && oldest !== undefined; oldest = kept[++head]) {
      bytes -= oldest.bytes;
      floor = oldest.last;
      kept[head] = gone;
    }
    if (head < mostGone || head * 2 < kept.length) return;
    kept = kept.slice(head);
    head = 0;
  };

  const changed = (events: readonly FollowedEvent[]): void => {
    const final = events.at(-1);
    if (final === undefined) return;
    const last = revisionOf(final);
    reached = last;
    if (!isWished()) {
      if (floor !== last) forget(last);
      return;
    }
    const item: FeedItem = { type: "events", events };
    keep({ item, last, bytes: events.reduce((sum, event) => sum + weightOf(event), 0) });
    tell(item);
  };

  const load = (at: Revision): void => {
    forget(at);
    reached = at;
  };

  return {
    over: (below) => ({
      load(over) {
        // What comes between is for each to find out from the store.
        forget(undefined);
        endAll(unavailable("what is followed is loaded anew"));
        const loading = below.load(over);
        return {
          add: (page) => loading.add(page),
          done(at) {
            loading.done(at);
            load(at);
          },
        };
      },
      changed(events, over) {
        below.changed(events, over);
        changed(events);
      },
      reached(at) {
        below.reached?.(at);
        if (at <= reached) return;
        reached = at;
        if (joined.size > 0) tell({ type: "progress", revision: at });
      },
      setBack() {
        below.setBack?.();
        forget(undefined);
        tell({ type: "setBack", why: "the store was set back" });
        endAll(undefined);
      },
    }),
    expect,
    join(from, tapped) {
      if (floor === undefined || from <= floor) return undefined;
      for (const { item, last } of kept.slice(head)) if (last >= from) tapped.item(item);
      if (reached >= from) tapped.item({ type: "progress", revision: reached });
      joined.add(tapped);
      return () => {
        joined.delete(tapped);
        expect();
      };
    },
    get followers() {
      return joined.size;
    },
  };
}

const revisionOf = (event: FollowedEvent): Revision => (event.type === "put" ? event.entry.revision : event.revision);

const perEvent = 200;

function weightOf(event: FollowedEvent): number {
  if (event.type === "damaged") return perEvent;
  return perEvent + (event.type === "put" ? weight(event.entry) : 0) + weight(event.previous);
}

function weight(entry: Entry | undefined): number {
  return entry === undefined ? 0 : entry.value.length;
}
