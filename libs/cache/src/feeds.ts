import { type Change, type EventType, eventFor, type Item } from "./change.js";
import type { ValueAt } from "./indexes.js";
import { inScope, type Scope } from "./selection.js";

/** What a set of watchers has in common; watchers of equal `id` get the very same Buffers. */
export interface Interest<I extends Item> {
  /** Scope, selectors and encoding, spelled out. */
  readonly id: string;
  readonly scope: Scope;
  readonly matches: (item: I) => boolean;
  /** A value that every item has which matches: changes of items without it are not even offered. */
  readonly exact?: Exact;
  readonly encode: Encode<I>;
}

export interface Exact {
  readonly path: string;
  readonly value: string;
}

/** The bytes of one event; `revision` is the change's (for DELETED newer than the item's). */
export type Encode<I extends Item> = (type: EventType, item: I, revision: number) => Buffer;

export interface Watcher {
  deliver(batch: Batch): void;
}

/** The events of one tick: the same object for all watchers of an interest. */
export interface Batch {
  /** Framed and joined; not to be written to. */
  readonly frames: Buffer;
  readonly events: number;
  /** When the oldest of its changes came, as {@link Feeds.publish} was told. */
  readonly since: number;
  /** Events up to and including this one are in it. */
  readonly revision: number;
}

/** The watchers of one collection, fed once per tick. */
export interface Feeds<I extends Item> {
  /** Starts delivery of changes made from now on. */
  join(interest: Interest<I>, watcher: Watcher): () => void;
  /** `at`: when the change came; only told on. */
  publish(change: Change<I>, at: number): void;
  /** Delivers what was published since the last flush. */
  flush(): void;
  readonly watchers: number;
}

interface Feed<I extends Item> {
  readonly interest: Interest<I>;
  readonly watchers: Set<Watcher>;
  frames: Buffer[];
  /** Of the oldest and of the newest frame. */
  since: number;
  revision: number;
}

/** Sets of feeds by a text: a namespace, a key, a value. */
type FeedSets<I extends Item> = Map<string, Set<Feed<I>>>;

/** Where a feed is found whose interest is in one of those texts. */
interface Place<I extends Item> {
  readonly sets: FeedSets<I>;
  readonly at: string;
}

export function createFeeds<I extends Item>(valueAt: ValueAt<I>): Feeds<I> {
  const feeds = new Map<string, Feed<I>>();
  const everywhere = new Set<Feed<I>>();
  const byNamespace: FeedSets<I> = new Map();
  const byKey: FeedSets<I> = new Map();
  const byValue = new Map<string, FeedSets<I>>();
  const waiting = new Set<Feed<I>>();
  let watchers = 0;

  /** Undefined for what is offered every change. */
  const places = ({ scope, exact }: Interest<I>): readonly Place<I>[] | undefined => {
    if (scope.type === "key") return [{ sets: byKey, at: scope.key }];
    if (exact !== undefined) return [{ sets: setsFor(byValue, exact.path), at: exact.value }];
    if (scope.type === "namespaces") return scope.namespaces.inOrder.map((at) => ({ sets: byNamespace, at }));
    return scope.type === "namespace" ? [{ sets: byNamespace, at: scope.namespace }] : undefined;
  };

  const setAt = ({ sets, at }: Place<I>): Set<Feed<I>> => {
    const known = sets.get(at);
    if (known !== undefined) return known;
    const set = new Set<Feed<I>>();
    sets.set(at, set);
    return set;
  };

  const setsOf = (interest: Interest<I>): readonly Set<Feed<I>>[] => places(interest)?.map(setAt) ?? [everywhere];

  const remove = (feed: Feed<I>): void => {
    const { interest } = feed;
    feeds.delete(interest.id);
    waiting.delete(feed);
    everywhere.delete(feed);
    for (const where of places(interest) ?? []) {
      const set = setAt(where);
      set.delete(feed);
      if (set.size === 0) where.sets.delete(where.at);
      if (where.sets.size === 0 && interest.exact !== undefined) byValue.delete(interest.exact.path);
    }
  };

  const flushFeed = (feed: Feed<I>): void => {
    const { frames, since, revision } = feed;
    const [first] = frames;
    if (first === undefined) return;
    feed.frames = [];
    const joined = frames.length === 1 ? first : Buffer.concat(frames);
    const batch = { frames: joined, events: frames.length, since, revision };
    for (const watcher of feed.watchers) watcher.deliver(batch);
  };

  const offer = (set: Iterable<Feed<I>> | undefined, change: Change<I>, at: number): void => {
    if (set === undefined) return;
    for (const feed of set) {
      const { interest } = feed;
      if (interest.exact !== undefined && !inScope(interest.scope, change.key)) continue;
      const event = eventFor(change, interest.matches);
      if (event === undefined) continue;
      if (feed.frames.length === 0) feed.since = at;
      feed.frames.push(interest.encode(event.type, event.item, change.revision));
      feed.revision = change.revision;
      waiting.add(feed);
    }
  };

  /** An item whose value changes concerns those who watch the one and those who watch the other. */
  const offerByValue = (change: Change<I>, at: number): void => {
    for (const [path, sets] of byValue) {
      const before = change.previous === undefined ? undefined : valueAt(change.previous, path);
      const now = change.item === undefined ? undefined : valueAt(change.item, path);
      if (before !== undefined) offer(sets.get(before), change, at);
      if (now !== undefined && now !== before) offer(sets.get(now), change, at);
    }
  };

  return {
    join(interest, watcher) {
      let feed = feeds.get(interest.id);
      if (feed === undefined) {
        feed = { interest, watchers: new Set(), frames: [], since: 0, revision: 0 };
        feeds.set(interest.id, feed);
        for (const set of setsOf(interest)) set.add(feed);
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
    publish(change, at) {
      offer(everywhere, change, at);
      const slash = change.key.indexOf("/");
      if (slash > 0) offer(byNamespace.get(change.key.slice(0, slash)), change, at);
      offer(byKey.get(change.key), change, at);
      offerByValue(change, at);
    },
    flush() {
      // Clearing an empty set makes a new one, and most collections have nothing to tell.
      if (waiting.size === 0) return;
      for (const feed of waiting) flushFeed(feed);
      waiting.clear();
    },
    get watchers() {
      return watchers;
    },
  };
}

function setsFor<I extends Item>(byValue: Map<string, FeedSets<I>>, path: string): FeedSets<I> {
  const known = byValue.get(path);
  if (known !== undefined) return known;
  const sets: FeedSets<I> = new Map();
  byValue.set(path, sets);
  return sets;
}
