import type { Change, EventType } from "@orch/cache/change.js";
import type { Interest } from "@orch/cache/feeds.js";
import type { History } from "@orch/cache/history.js";
import type { CachedObject } from "./object.js";
import type { Outlet } from "./outlet.js";
import type { Rendition } from "./renditions/rendition.js";

/**
 * A watch of objects that a webhook converts. Its events are taken from the history as fast as the client takes them and the
 * webhook answers, many in one question, and sent in their order.
 */
export interface ConvertedWatch {
  readonly outlet: Outlet;
  /** How the first event is written. */
  readonly rendition: Rendition;
  readonly history: () => History<CachedObject>;
  /** What the watch shows of a change; undefined for nothing. */
  readonly eventOf: (change: Change<CachedObject>) => ChangeEvent | undefined;
  /** Calls when something has changed that the watch may show; gives how to leave. */
  readonly listen: (changed: () => void) => () => void;
  /** The newest revision whose changes are in the history. */
  readonly revision: () => number;
  /** The history no longer goes back so far. */
  readonly expired: (after: number) => void;
}

export interface ChangeEvent {
  readonly type: EventType;
  readonly item: CachedObject;
  readonly revision: number;
}

export interface ConvertedStream {
  /** Everything up to here was sent. */
  readonly revision: number;
  /** Sends these first. */
  begin(events: readonly ChangeEvent[], announce: ((rendition: Rendition) => Buffer) | undefined): Promise<void>;
  /** Sends what came after a revision, for as long as the watch is open. */
  follow(after: number): Promise<void>;
}

/** Events of one question to the webhook. */
const mostEvents = 200;

/** What wakes a watch has no bytes to send. */
const wake = Buffer.from(" ");
export const wakeUp: Interest<CachedObject>["encode"] = () => wake;

export function convertedStream(watch: ConvertedWatch): ConvertedStream {
  const { outlet } = watch;
  let next = watch.rendition;
  let sent = 0;

  const send = async (events: readonly ChangeEvent[]): Promise<void> => {
    const prepared = await next.prepare(events.map(({ item }) => item));
    if (outlet.closed) return;
    let rendition = prepared ?? next;
    const frames = events.map(({ type, item, revision }) => {
      const frame = rendition.event(type, item, revision);
      rendition = rendition.following;
      return frame;
    });
    next = next.following;
    outlet.send({ body: Buffer.concat(frames) });
    await outlet.drained();
  };

  return {
    get revision() {
      return sent;
    },
    async begin(events, announce) {
      outlet.goLive();
      for (let at = 0; at < events.length && !outlet.closed; at += mostEvents) {
        await send(events.slice(at, at + mostEvents));
      }
      if (announce !== undefined && !outlet.closed) outlet.send({ body: announce(next) });
    },
    async follow(after) {
      outlet.goLive();
      sent = after;
      let changed = (): void => {};
      const leave = watch.listen(() => changed());
      outlet.onClose(() => {
        leave();
        changed();
      });
      while (!outlet.closed) {
        const woken = new Promise<void>((resolve) => {
          changed = resolve;
        });
        const newest = watch.revision();
        const missed = watch.history().since(sent);
        if (missed === undefined) return watch.expired(sent);
        for (const events of inParts(missed, watch.eventOf)) {
          if (outlet.closed) return;
          await send(events);
        }
        sent = Math.max(newest, missed.at(-1)?.revision ?? 0);
        if (missed.length === 0) await woken;
      }
    },
  };
}

function* inParts(
  changes: readonly Change<CachedObject>[],
  eventOf: ConvertedWatch["eventOf"],
): Generator<readonly ChangeEvent[]> {
  let part: ChangeEvent[] = [];
  for (const change of changes) {
    const event = eventOf(change);
    if (event === undefined) continue;
    part.push(event);
    if (part.length < mostEvents) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
