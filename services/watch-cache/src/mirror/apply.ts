import type { Change } from "@orch/cache/change.js";
import { type Damage, noObject } from "@orch/store/damaged-entry.js";
import type { FollowedEvent } from "@orch/store/follow.js";
import type { Key, Revision } from "@orch/store/revision.js";
import type { ReadableEvent } from "@orch/store/store.js";
import type { CachedObject } from "../object.js";
import { objectAt, type Place } from "../readable.js";
import type { Shelf, Shelves } from "./shelves.js";

/** Is told of the definitions of custom resources as they are stored, in the order of revisions with everything else. */
export interface DefinitionFeed {
  /** Where they are stored. */
  readonly storagePrefix: string;
  replaced(definitions: readonly CachedObject[], at: Revision): void;
  changed(change: Change<CachedObject>): void;
}

export interface ApplyOptions {
  readonly definitions: DefinitionFeed;
  readonly place: (key: Key) => Place | undefined;
  /** What to do about an object that cannot be read any more. */
  readonly lose: (where: Place, damage: Damage) => void;
  /** Told where each change belongs. */
  readonly changed?: ((storagePrefix: string) => void) | undefined;
}

/** Puts changes on their shelves and gives them to whoever follows; `came` is when they came. */
export type Apply = (shelves: Shelves, events: readonly FollowedEvent[], came: number) => void;

export function createApply({ place, lose, definitions, changed }: ApplyOptions): Apply {
  const changeOf = (event: ReadableEvent, where: Place, shelf: Shelf): Change<CachedObject> | undefined => {
    const previous = shelf.collection.get(where.key);
    shelf.unreadable.delete(where.key);
    if (event.type === "delete") {
      if (previous === undefined) return undefined;
      return { revision: event.revision, key: where.key, item: undefined, previous };
    }
    const item = objectAt(where, event.entry);
    if (item !== undefined) return { revision: event.entry.revision, key: where.key, item, previous };
    lose(where, noObject(event.entry));
    return undefined;
  };

  return (shelves, events, came) => {
    for (const event of events) {
      const where = place(event.type === "put" ? event.entry.key : event.key);
      if (where === undefined) continue;
      if (event.type === "damaged") {
        lose(where, event);
        continue;
      }
      const shelf = shelves.of(where.storagePrefix);
      const change = changeOf(event, where, shelf);
      if (change === undefined) continue;
      shelf.collection.apply(change);
      shelf.feeds.publish(change, came);
      changed?.(where.storagePrefix);
      if (where.storagePrefix === definitions.storagePrefix) definitions.changed(change);
    }
  };
}
