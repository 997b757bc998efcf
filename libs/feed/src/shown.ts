import type { FeedItem } from "@orch/rpc/feed/messages.js";
import { keyOf, revisionOf } from "./feed-event.js";

/** What somebody sees of an item who is told of some keys only: one message, or two. */
export type Shown = (item: FeedItem) => readonly FeedItem[];

/** Choices of keys whose items are made once for all who chose alike: gateways of a cluster have one or two. */
const mostShared = 16;

/** Gives for prefixes of keys, of which none begins another, what is shown of items; without prefixes it is all. */
export function createChoices(): (prefixes: readonly string[]) => Shown {
  const shared = new Map<string, Shown>();
  return (prefixes) => {
    if (prefixes.length === 0) return (item) => [item];
    const choice = JSON.stringify(prefixes);
    const known = shared.get(choice);
    if (known !== undefined) return known;
    const shown = remembered(showing(prefixes));
    if (shared.size < mostShared) shared.set(choice, shown);
    return shown;
  };
}

function remembered(shown: Shown): Shown {
  const made = new WeakMap<FeedItem, readonly FeedItem[]>();
  return (item) => {
    const before = made.get(item);
    if (before !== undefined) return before;
    const fresh = shown(item);
    made.set(item, fresh);
    return fresh;
  };
}

function showing(prefixes: readonly string[]): Shown {
  const isChosen = beginsWithOneOf(prefixes);
  return (item) => {
    if (item.type !== "events") return [item];
    const events = item.events.filter((event) => {
      const key = keyOf(event);
      return key === undefined || isChosen(key);
    });
    if (events.length === item.events.length) return [item];
    const last = item.events.at(-1);
    const some: FeedItem[] = events.length === 0 ? [] : [{ type: "events", events }];
    // Whoever waits for a revision is not to wait for ever because it is of a key that is not shown.
    if (last !== undefined && events.at(-1) !== last) some.push({ type: "progress", revision: revisionOf(last) });
    return some;
  };
}

/** Prefixes of which none begins another: the greatest that is not behind a key is the only one that can begin it. */
function beginsWithOneOf(prefixes: readonly string[]): (key: string) => boolean {
  const sorted = prefixes.toSorted();
  return (key) => {
    let [from, to] = [0, sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((sorted[middle] ?? "") <= key) from = middle + 1;
      else to = middle;
    }
    const nearest = sorted[from - 1];
    return nearest !== undefined && key.startsWith(nearest);
  };
}
