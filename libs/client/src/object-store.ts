import type { Listing } from "./follow.js";
import type { ApiObject } from "./objects.js";
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
  /**
   * What handlers are given of the objects of a list, whole ones where absent. Whole ones are all held until the last page has
   * come; what was kept lets each page go.
   */
  readonly listTells?: "whole" | "kept";
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
  /**
   * Takes a list: what it needs of a page is kept as it comes, and nobody sees any of it before the list is done. What the
   * whole lacks is gone then, what has not changed is nobody told of.
   */
  begin(): Listing;
  apply(event: WatchEvent): void;
}

export function keyOf({ metadata }: ApiObject): string {
  const name = metadata.name ?? "";
  return metadata.namespace === undefined || metadata.namespace === "" ? name : `${metadata.namespace}/${name}`;
}

export function createObjectStore<T extends ApiObject>(options: ObjectStoreOptions<T>): ObjectStore<T> {
  const { keep, handlers = {}, indexes = [], onError } = options;
  const hears = handlers.added !== undefined || handlers.modified !== undefined;
  const tellsWhole = hears && options.listTells !== "kept";
  const objects = new Map<string, T>();
  const found = new Map(indexes.map((index) => [index, createValues(index)]));
  const tell = (call: () => void): void => {
    try {
      call();
    } catch (error) {
      onError(error);
    }
  };
  const isKnown = (key: string, { metadata: { resourceVersion, uid } }: ApiObject): boolean => {
    const before = objects.get(key)?.metadata;
    return before !== undefined && before.resourceVersion === resourceVersion && before.uid === uid;
  };
  const put = (key: string, object: ApiObject, kept: T): void => {
    const before = objects.get(key);
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
    begin() {
      const keys = new Set<string>();
      const changes: { readonly key: string; readonly told: ApiObject; readonly kept: T }[] = [];
      return {
        page(items) {
          for (const object of items) {
            const key = keyOf(object);
            keys.add(key);
            if (isKnown(key, object)) continue;
            const kept = keep(object);
            changes.push({ key, told: tellsWhole ? object : kept, kept });
          }
        },
        done() {
          for (const key of [...objects.keys()]) if (!keys.has(key)) remove(key, undefined);
          for (const { key, told, kept } of changes) put(key, told, kept);
        },
      };
    },
    apply({ type, object }) {
      if (type === "BOOKMARK") return;
      const key = keyOf(object);
      if (type === "DELETED") remove(key, object);
      else if (!isKnown(key, object)) put(key, object, keep(object));
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
