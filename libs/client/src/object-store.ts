import type { ApiObject, ObjectList } from "./objects.js";
import type { WatchEvent } from "./watch.js";

/** Called after the store has changed, in the order of the changes. One that throws misses its change and nothing else. */
export interface Handlers<T extends ApiObject = ApiObject> {
  added?(object: ApiObject): void;
  /** `before` as it was kept. */
  modified?(object: ApiObject, before: T): void;
  /** The last known state: whole where the watch has shown it, as it was `kept` where a list lacks it. */
  deleted?(object: ApiObject, kept: T): void;
}

/** The values under which an object is found: `podsOfNode = (pod) => [pod.spec.nodeName]`. It is known by its identity. */
export type Index<T> = (kept: T) => readonly string[];

export interface ObjectStoreOptions<T extends ApiObject> {
  /** What is kept of an object: its name, namespace, uid and version at least. */
  readonly keep: (object: ApiObject) => T;
  readonly handlers?: Handlers<T>;
  readonly indexes?: readonly Index<T>[];
  /** Told of what a handler throws. */
  readonly onError: (error: unknown) => void;
}

/** A collection as it was last seen. */
export interface ObjectStore<T extends ApiObject> {
  /** By `namespace/name` (`name` without a namespace). */
  readonly objects: ReadonlyMap<string, T>;
  /** What has a value of an index that the options name. @throws TypeError for another index */
  byIndex(index: Index<T>, value: string): Iterable<T>;
  /** Takes a whole list: what it lacks is gone, what has not changed is nobody told of. */
  replace(list: Pick<ObjectList, "items">): void;
  apply(event: WatchEvent): void;
}

export function keyOf({ metadata }: ApiObject): string {
  const name = metadata.name ?? "";
  return metadata.namespace === undefined || metadata.namespace === "" ? name : `${metadata.namespace}/${name}`;
}

export function createObjectStore<T extends ApiObject>(options: ObjectStoreOptions<T>): ObjectStore<T> {
  const { keep, handlers = {}, indexes = [], onError } = options;
  const objects = new Map<string, T>();
  const found = new Map(indexes.map((index) => [index, createValues(index)]));
  const tell = (call: () => void): void => {
    try {
      call();
    } catch (error) {
      onError(error);
    }
  };
  const put = (object: ApiObject): void => {
    const key = keyOf(object);
    const before = objects.get(key);
    const { resourceVersion, uid } = object.metadata;
    if (before !== undefined && before.metadata.resourceVersion === resourceVersion && before.metadata.uid === uid)
      return;
    const kept = keep(object);
    objects.set(key, kept);
    for (const values of found.values()) values.change(key, before, kept);
    if (before === undefined) tell(() => handlers.added?.(object));
    else tell(() => handlers.modified?.(object, before));
  };
  const remove = (key: string, last: ApiObject | undefined): void => {
    const kept = objects.get(key);
    if (kept === undefined) return;
    objects.delete(key);
    for (const values of found.values()) values.change(key, kept, undefined);
    tell(() => handlers.deleted?.(last ?? kept, kept));
  };
  return {
    objects,
    byIndex(index, value) {
      const values = found.get(index);
      if (values === undefined) throw new TypeError("the store does not keep this index");
      return values.at(value);
    },
    replace({ items }) {
      const keys = new Set(items.map(keyOf));
      for (const key of [...objects.keys()]) if (!keys.has(key)) remove(key, undefined);
      for (const object of items) put(object);
    },
    apply({ type, object }) {
      if (type === "DELETED") remove(keyOf(object), object);
      else if (type !== "BOOKMARK") put(object);
    },
  };
}

/** `{a: [x], b: [x, y]}`: what has each value, by its key. */
function createValues<T>(index: Index<T>) {
  const sets = new Map<string, Map<string, T>>();
  return {
    at: (value: string): Iterable<T> => sets.get(value)?.values() ?? [],
    change(key: string, before: T | undefined, after: T | undefined): void {
      for (const value of before === undefined ? [] : index(before)) {
        const set = sets.get(value);
        if (set?.delete(key) === true && set.size === 0) sets.delete(value);
      }
      if (after === undefined) return;
      for (const value of index(after)) {
        const set = sets.get(value);
        if (set === undefined) sets.set(value, new Map([[key, after]]));
        else set.set(key, after);
      }
    },
  };
}
