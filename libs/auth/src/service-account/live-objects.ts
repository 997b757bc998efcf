import type { AnyObject } from "@orch/api/object.js";
import { LRUCache } from "lru-cache";
import { andThen } from "../and-then.js";
import { createInFlight } from "../in-flight.js";
import type { Collection, ObjectSource } from "../object-source.js";

/** What decisions on tokens keep of an object. */
export interface LiveObject<T> {
  readonly uid: string;
  /** Milliseconds since 1970; undefined where it is not being deleted. */
  readonly deleted: number | undefined;
  readonly more: T;
}

/** Why an object does not vouch for a token; undefined where it does. */
export type Objection<T> = (object: LiveObject<T> | undefined) => string | undefined;

export interface LiveObjects<T> {
  /** Undefined where the object is as it must be. At once where the object was looked at within the last second. */
  objection(namespace: string, name: string, vouches: Objection<T>): string | undefined | Promise<string | undefined>;
}

export interface LiveObjectsDeps<T> {
  readonly objects: ObjectSource;
  /** Of the core group: `pods`. */
  readonly resource: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What to keep beside uid and deletion. */
  readonly more: (object: AnyObject) => T;
}

/** What was deleted is dead within a second, and the source is some milliseconds behind. */
const goodMs = 900;
/** What speaks against a token is looked at again sooner: the source may not have heard of something new yet. */
const badMs = 100;
const kept = 20_000;

interface Look<T> {
  readonly object: LiveObject<T> | undefined;
  readonly at: number;
}

/** Objects that tokens depend on, each asked for at most about once a second, by one asker at a time. */
export function liveObjects<T>({ objects, resource, now, more }: LiveObjectsDeps<T>): LiveObjects<T> {
  const looks = new LRUCache<string, Look<T>>({ max: kept });
  const inFlight = createInFlight<Look<T> | undefined>();

  /** Undefined where nobody can be asked. */
  const look = async (key: string, collection: Collection, name: string): Promise<Look<T> | undefined> => {
    // The answer is as old as the question.
    const at = now();
    try {
      const object = await objects.get(collection, name);
      const found: Look<T> = { object: object === undefined ? undefined : summary(object, more), at };
      looks.set(key, found);
      return found;
    } catch {
      return undefined;
    }
  };

  return {
    objection(namespace, name, vouches) {
      const key = `${namespace}/${name}`;
      const known = looks.get(key);
      // A clock that was set back makes an age negative: such a look is worth nothing.
      const age = known === undefined ? Number.NaN : now() - known.at;
      if (known !== undefined && age >= 0 && age < goodMs) {
        const why = vouches(known.object);
        if (why === undefined || age < badMs) return why;
      }
      const place = namespace === "" ? {} : { namespace };
      const collection: Collection = { group: "", version: "v1", resource, ...place };
      const looked = inFlight(key, () => look(key, collection, name));
      return andThen(looked, (found) =>
        found === undefined ? `${resource} could not be asked` : vouches(found.object),
      );
    },
  };
}

function summary<T>(object: AnyObject, more: (object: AnyObject) => T): LiveObject<T> {
  const { uid = "", deletionTimestamp } = object.metadata;
  // A time that makes no sense counts as long ago.
  const deleted = deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp) || 0;
  return { uid, deleted, more: more(object) };
}
