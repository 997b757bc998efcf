import { type Damage, noObject } from "./damaged-entry.js";
import type { FollowedEvent, Follower } from "./follow.js";
import type { Key, Revision } from "./revision.js";
import type { Entry } from "./store.js";

/** Who is told of values as what they mean. */
export interface ValueFollower<T> {
  /** All that can be read, and what cannot, at a revision. */
  replaced(values: readonly T[], damaged: readonly Damage[], at: Revision): void;
  changed(value: T): void;
  /** `last` is undefined where what was deleted cannot be read. */
  deleted(key: Key, last: T | undefined): void;
  /** What stands at a key now cannot be read. */
  damaged(damage: Damage): void;
}

/**
 * A {@link Follower} that decodes what it is told of. What `decode` throws at is damaged as much as what the store cannot
 * read; it must not keep the memory of a value.
 */
export function followValues<T>(decode: (entry: Entry) => T, follower: ValueFollower<T>): Follower {
  const read = (entry: Entry): Readable<T> => {
    try {
      return { type: "value", value: decode(entry) };
    } catch {
      return { type: "damaged", damage: noObject(entry) };
    }
  };
  const tell = (event: FollowedEvent): void => {
    if (event.type === "damaged") follower.damaged(event);
    else if (event.type === "delete") follower.deleted(event.key, lastOf(event.previous));
    else put(event.entry);
  };
  const lastOf = (previous: Entry | undefined): T | undefined => {
    const last = previous === undefined ? undefined : read(previous);
    return last?.type === "value" ? last.value : undefined;
  };
  const put = (entry: Entry): void => {
    const now = read(entry);
    if (now.type === "value") follower.changed(now.value);
    else follower.damaged(now.damage);
  };
  return {
    load() {
      const values: T[] = [];
      const damaged: Damage[] = [];
      return {
        add(page) {
          for (const entry of page.entries) {
            const at = read(entry);
            if (at.type === "value") values.push(at.value);
            else damaged.push(at.damage);
          }
          for (const damage of page.damaged ?? []) damaged.push(damage);
        },
        done: (at) => follower.replaced(values, damaged, at),
      };
    },
    changed(events, over) {
      for (const event of events) {
        if (over.aborted) return;
        tell(event);
      }
    },
  };
}

type Readable<T> =
  | { readonly type: "value"; readonly value: T }
  | { readonly type: "damaged"; readonly damage: Damage };
