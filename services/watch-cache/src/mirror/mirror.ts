import type { Gate } from "@orch/cache/gate.js";
import type { HistoryOptions } from "@orch/cache/history.js";
import type { Tap } from "@orch/feed/tap.js";
import { type Damage, damageText } from "@orch/store/damaged-entry.js";
import { createFollowing, type Follower } from "@orch/store/follow.js";
import { type Key, type Revision, revision } from "@orch/store/revision.js";
import type { Range, Store } from "@orch/store/store.js";
import type { Place, Readables } from "../readable.js";
import { createApply, type DefinitionFeed } from "./apply.js";
import { createIntake } from "./intake.js";
import { recall } from "./recall.js";
import { createShelves, type Shelf } from "./shelves.js";
import { createShowing, type Showing } from "./showing.js";

export interface MirrorOptions {
  readonly store: Store;
  /** The first load, where reading has begun already. */
  readonly begun?: AsyncIterable<Range> | undefined;
  readonly prefix: Key;
  readonly readables: Pick<Readables, "place" | "refreshed" | "isKnown">;
  readonly definitions: DefinitionFeed;
  readonly history: HistoryOptions;
  /** Milliseconds since 1970, with fractions: when a change came. */
  readonly stamp: () => number;
  readonly onError: (what: string, error: unknown) => void;
  /** Told where each change belongs. */
  readonly changed?: ((storagePrefix: string) => void) | undefined;
  /** Where others follow what this follows. */
  readonly tap?: Tap | undefined;
}

/**
 * Follows the store with one watch over the whole prefix and keeps every object's
 * bytes, by collection. After a gap that the store can't fill (`Expired`) it loads anew, and the watchers of
 * the old state are to be ended (`onReset`).
 */
export interface Mirror {
  /** Runs until the signal; settles when it has stopped. */
  run(signal: AbortSignal): Promise<void>;
  readonly loaded: boolean;
  /** Everything up to here is shown. */
  readonly gate: Gate;
  shelf(storagePrefix: string): Shelf;
  /** The kind of a collection can be selected by other fields now, since a revision. */
  refresh(storagePrefix: string, at: Revision): void;
  /** Delivers published events at once instead of at the end of the tick. */
  flush(): void;
  /** Called when what was shown is over, before anything new shows. */
  onReset(run: () => void): void;
  /** Called when a change came that cannot be read: who follows that object can go on no further. */
  onUnreadable(run: (storagePrefix: string, key: string, damage: Damage) => void): void;
  /** How many objects cannot be read. */
  readonly unreadable: number;
  /** Settles when there is something to show. */
  whenLoaded(): Promise<void>;
  /** Settles when the history from before the load is there, or will not come. */
  recalled(): Promise<void>;
  /**
   * To be called before the store is asked for its newest revision, and what it gives with the answer: a store that is
   * older than what was shown when it was asked was set back. That is hidden at once, and the store loaded anew.
   */
  expectNoLess(): (newest: Revision) => void;
}

const trimMs = 10_000;

export function createMirror(options: MirrorOptions): Mirror {
  const showing = createShowing(createShelves(new Map(), 0, options.history));
  const { gate } = showing;
  const losses = new Set<Loss>();
  const flush = (): void => {
    for (const { feeds } of showing.shelves.all()) feeds.flush();
  };
  const { tap } = options;
  const follower = createFollower(options, { showing, flush, losses });
  const following = createFollowing({
    ...options,
    follower: tap === undefined ? follower : tap.over(follower),
    subject: "the store",
    log: options.onError,
  });

  return {
    async run(signal) {
      const trim = setInterval(() => {
        for (const { collection } of showing.shelves.all()) collection.trim();
        showing.shelves.drop(revision(gate.revision), options.readables.isKnown);
      }, trimMs);
      await following.run(signal);
      clearInterval(trim);
      flush();
    },
    get loaded() {
      return showing.loaded;
    },
    gate,
    shelf: (storagePrefix) => showing.shelves.of(storagePrefix),
    refresh(storagePrefix, at) {
      showing.shelves.remake(storagePrefix, at, (objects) => options.readables.refreshed(storagePrefix, objects));
    },
    flush,
    onReset: showing.onReset,
    onUnreadable: (run) => void losses.add(run),
    get unreadable() {
      let count = 0;
      for (const { unreadable } of showing.shelves.all()) count += unreadable.size;
      return count;
    },
    whenLoaded: () => showing.era.loaded,
    recalled: showing.recalled,
    expectNoLess() {
      const { era } = showing;
      const shown = gate.revision;
      return (newest) => {
        // An answer that comes when all that was hidden already says nothing of what is shown since.
        if (newest >= shown || showing.era !== era || !showing.loaded) return;
        showing.hide();
        following.anew();
      };
    },
  };
}

/** Told of an object that was shown and cannot be read any more. */
type Loss = (storagePrefix: string, key: string, damage: Damage) => void;

interface Told {
  readonly showing: Showing;
  readonly flush: () => void;
  readonly losses: ReadonlySet<Loss>;
}

/** Shows what the store tells. */
function createFollower(options: MirrorOptions, { showing, flush, losses }: Told): Follower {
  const { readables, definitions, history, stamp, onError } = options;
  const { place } = readables;
  const { gate } = showing;

  /** The object before it must not be shown any more, nor its deletion. */
  const lose = (where: Place, damage: Damage): void => {
    showing.shelves.of(where.storagePrefix).unreadable.add(where.key, damage);
    onError("a stored object cannot be read", new Error(damageText([damage])));
    flush();
    showing.shelves.cut(where, damage.revision);
    for (const tell of losses) tell(where.storagePrefix, where.key, damage);
  };
  const apply = createApply({ place, lose, definitions, changed: options.changed });
  const planFlush = oncePerTick(flush);

  return {
    load(over) {
      const intake = createIntake(place);
      return {
        add(page) {
          if (page.revision < gate.revision) showing.hide();
          intake.add(page);
        },
        done(at) {
          const { damaged } = intake;
          definitions.replaced(intake.objects.get(definitions.storagePrefix) ?? [], at);
          // Some were read before the definition of their kind.
          const objects = new Map(
            [...intake.objects].map(([at, some]) => [at, readables.refreshed(at, some)] as const),
          );
          const shelves = createShelves(objects, at, history);
          for (const damage of damaged) {
            const where = place(damage.key);
            if (where !== undefined) shelves.of(where.storagePrefix).unreadable.add(where.key, damage);
          }
          // One line for all: there can be as many as there are objects.
          if (damaged.length > 0) onError("stored objects cannot be read", new Error(damageText(damaged)));
          showing.show({ shelves, at, recalled: recall({ ...options, place }, { shelves, at, over }) });
        },
      };
    },
    changed(events) {
      apply(showing.shelves, events, stamp());
      const last = events.at(-1);
      if (last !== undefined) gate.advance(last.type === "put" ? last.entry.revision : last.revision);
      planFlush();
    },
    reached: gate.advance,
    setBack: showing.hide,
  };
}

/** Runs at the end of a tick in which it was asked for. */
function oncePerTick(run: () => void): () => void {
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      run();
    });
  };
}
