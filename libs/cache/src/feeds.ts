import { type Change, type EventType, eventFor, type Item } from "./change.js";
import type { Scope } from "./collection.js";

/** What a set of watchers has in common; watchers of equal `id` get the very same Buffers. */
export interface Interest<I extends Item> {
  /** Scope, selectors and encoding, spelled out. */
  readonly id: string;
  readonly scope: Scope;
  readonly matches: (item: I) => boolean;
  readonly encode: Encode<I>;
}

/** The bytes of one event; `revision` is the change's (for DELETED newer than the item's). */
export type Encode<I extends Item> = (type: EventType, item: I, revision: number) => Buffer;

export interface Watcher {
  /** Events up to and including `revision`, framed and joined; shared with other watchers: not to be written to. */
  deliver(frames: Buffer, revision: number): void;
}

/** The watchers of one collection, fed once per tick. */
export interface Feeds<I extends Item> {
  /** Starts delivery of changes made from now on. */
  join(interest: Interest<I>, watcher: Watcher): () => void;
  publish(change: Change<I>): void;
  /** Delivers what was published since the last flush. */
  flush(): void;
  readonly watchers: number;
}

interface Feed<I extends Item> {
  readonly interest: Interest<I>;
  readonly watchers: Set<Watcher>;
  frames: Buffer[];
  revision: number;
}

export function createFeeds<I extends Item>(): Feeds<I> {
  const feeds = new Map<string, Feed<I>>();
  const everywhere = new Set<Feed<I>>();
  const byNamespace = new Map<string, Set<Feed<I>>>();
  const byKey = new Map<string, Set<Feed<I>>>();
  const waiting = new Set<Feed<I>>();
  let watchers = 0;

  const place = (scope: Scope): { index: Map<string, Set<Feed<I>>>; at: string } | undefined => {
    if (scope.type === "namespace") return { index: byNamespace, at: scope.namespace };
    return scope.type === "key" ? { index: byKey, at: scope.key } : undefined;
  };

  const setFor = (scope: Scope): Set<Feed<I>> => {
    const where = place(scope);
    if (where === undefined) return everywhere;
    const known = where.index.get(where.at);
    if (known !== undefined) return known;
    const set = new Set<Feed<I>>();
    where.index.set(where.at, set);
    return set;
  };

  const remove = (feed: Feed<I>): void => {
    feeds.delete(feed.interest.id);
    waiting.delete(feed);
    const set = setFor(feed.interest.scope);
    set.delete(feed);
    const where = place(feed.interest.scope);
    if (where !== undefined && set.size === 0) where.index.delete(where.at);
  };

  const flushFeed = (feed: Feed<I>): void => {
    const { frames, revision } = feed;
    const [first] = frames;
    if (first === undefined) return;
    feed.frames = [];
    const joined = frames.length === 1 ? first : Buffer.concat(frames);
    for (const watcher of feed.watchers) watcher.deliver(joined, revision);
  };

  const offer = (set: Iterable<Feed<I>> | undefined, change: Change<I>): void => {
    if (set === undefined) return;
    for (const feed of set) {
      const event = eventFor(change, feed.interest.matches);
      if (event === undefined) continue;
      feed.frames.push(feed.interest.encode(event.type, event.item, change.revision));
      feed.revision = change.revision;
      waiting.add(feed);
    }
  };

  return {
    join(interest, watcher) {
      let feed = feeds.get(interest.id);
      if (feed === undefined) {
        feed = { interest, watchers: new Set(), frames: [], revision: 0 };
        feeds.set(interest.id, feed);
        setFor(interest.scope).add(feed);
      } else {
        // What waits for the others is older than this watcher's start.
        flushFeed(feed);
      }
      const joined = feed;
      joined.watchers.add(watcher);
      watchers += 1;
      return () => {
        if (!joined.watchers.delete(watcher)) return;
        watchers -= 1;
        if (joined.watchers.size === 0) remove(joined);
      };
    },
    publish(change) {
      offer(everywhere, change);
      const slash = change.key.indexOf("/");
      if (slash > 0) offer(byNamespace.get(change.key.slice(0, slash)), change);
      offer(byKey.get(change.key), change);
    },
    flush() {
      for (const feed of waiting) flushFeed(feed);
      waiting.clear();
    },
    get watchers() {
      return watchers;
    },
  };
}
