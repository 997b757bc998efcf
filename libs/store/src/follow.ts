import { expired } from "@orch/status/api-error.js";
import type { Damage } from "./damaged-entry.js";
import { snapshot } from "./pages.js";
import { type Key, noRevision, type Revision, revision } from "./revision.js";
import { createRounds, type Following, type RoundsOptions, unlessAborted } from "./rounds.js";
import { StoreSetBack } from "./set-back.js";
import type { Proof, Range, ReadableEvent, Store, StoreEvent } from "./store.js";

/** A change whose key is known, even where what was written there cannot be read. */
export type FollowedEvent = ReadableEvent | (Damage & { readonly type: "damaged" });

/**
 * Who is told of everything under a prefix:
 *
 * - A load brings the whole at one revision; then every change after it comes, in order, none missing and none twice.
 * - After a gap another load follows and replaces what was told before. A gap is an `Expired` of the store, a store that
 *   was set back, a change of which not even the key can be read, and an `Expired` that the follower throws because it
 *   cannot go on from a change. The next load begins at once.
 * - After any other error, the follower's own included, it is logged once and the next load begins after a pause.
 * - What cannot be read is told beside the rest: in a page's `damaged`, and as an event of its own.
 * - Nothing is told once the signal has aborted, though events that were handed over together are the follower's to
 *   stop in the middle of.
 */
export interface Follower {
  /** A load begins. `over` aborts when another load takes its place, or when following stops. */
  load(over: AbortSignal): Load;
  /** Called only after a load is done; `over` is that load's. */
  changed(events: readonly FollowedEvent[], over: AbortSignal): void;
  /** Everything up to this revision was told. */
  reached?(at: Revision): void;
  /** What was told may never have been: the store was set back. A load follows. */
  setBack?(): void;
}

/** One load; it is given up where another begins before it is done. */
export interface Load {
  /** The next entries in key order; their values are lent. */
  add(page: Range): void;
  /** The pages so far are the whole. */
  done(at: Revision): void;
}

export interface FollowOptions extends Omit<RoundsOptions, "round"> {
  readonly store: Store;
  readonly prefix: Key;
  readonly follower: Follower;
  /** The first load, where reading has begun already. */
  readonly begun?: AsyncIterable<Range> | undefined;
}

/** Loads everything under a prefix and follows its changes, by the contract of {@link Follower}. */
export function createFollowing(options: FollowOptions): Following {
  const { store, follower } = options;
  let { begun } = options;
  return createRounds({
    ...options,
    async round(over) {
      const pages = begun ?? snapshot(store, options);
      begun = undefined;
      try {
        // A store that is away is not waited for.
        const loaded = await unlessAborted(takeAll(pages, follower, over), over);
        await tellChanges(options, loaded, over);
      } catch (error) {
        if (error instanceof StoreSetBack && !over.aborted) follower.setBack?.();
        throw error;
      }
      if (!over.aborted) throw expired("the watch of the store ended");
    },
  });
}

/** What a load has read: the state at a revision, and the proof of its entry that was written last. */
interface Loaded {
  readonly at: Revision;
  readonly newest: Proof | undefined;
}

async function takeAll(pages: AsyncIterable<Range>, follower: Follower, over: AbortSignal): Promise<Loaded> {
  const load = follower.load(over);
  let at = noRevision;
  let newest: Proof | undefined;
  for await (const page of pages) {
    over.throwIfAborted();
    at = page.revision;
    load.add(page);
    newest = newerOf(page.proof, newest);
  }
  over.throwIfAborted();
  load.done(at);
  return { at, newest };
}

async function tellChanges(
  { store, prefix, follower }: FollowOptions,
  { at, newest }: Loaded,
  over: AbortSignal,
): Promise<void> {
  const known = newest === undefined ? {} : { known: newest };
  for await (const item of store.watch({ prefix, from: revision(at + 1), signal: over, ...known })) {
    if (over.aborted) return;
    if (item.type === "progress") {
      follower.reached?.(item.revision);
      continue;
    }
    const { events } = item;
    if (!events.every(hasKey)) throw expired("a change of the store cannot be read, nor its key");
    follower.changed(events, over);
  }
}

function hasKey(event: StoreEvent): event is FollowedEvent {
  return event.type !== "damaged" || event.key !== undefined;
}

/** The proof of what was written last, of a page's and the one from before. */
function newerOf(page: Proof | undefined, before: Proof | undefined): Proof | undefined {
  return page !== undefined && (before === undefined || page.revision > before.revision) ? page : before;
}
