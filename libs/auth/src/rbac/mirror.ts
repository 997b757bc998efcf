import type { AnyObject } from "@orch/api/object.js";
import type { Follower } from "../object-source.js";

export interface Named {
  readonly namespace: string;
  readonly name: string;
}

/** Where the objects of one collection are kept. */
export interface Kept<T extends Named> {
  /** The namespace is empty in a collection of the cluster. */
  readonly read: (object: AnyObject, namespace: string) => T;
  readonly put: (record: T) => void;
  readonly remove: (name: Named) => void;
  readonly namespaced: boolean;
}

/** Keeps what a source tells of; `passOver` is told of objects that have no place in the collection. */
export function mirrorOf<T extends Named>(kept: Kept<T>, passOver: (what: string) => void): Follower {
  let known = new Map<string, Named>();

  /** An object without a namespace would otherwise be one of the whole cluster. */
  const recordOf = (object: AnyObject): T | undefined => {
    const { name = "", namespace = "" } = object.metadata;
    if (name !== "" && (namespace !== "") === kept.namespaced) return kept.read(object, namespace);
    passOver(`${JSON.stringify(name)} in the namespace ${JSON.stringify(namespace)} is passed over`);
    return undefined;
  };

  const put = (record: T): void => {
    const { namespace, name } = record;
    known.set(`${namespace}/${name}`, { namespace, name });
    kept.put(record);
  };

  return {
    replaced(objects) {
      const before = known;
      known = new Map();
      for (const record of objects.map(recordOf)) if (record !== undefined) put(record);
      for (const [key, name] of before) if (!known.has(key)) kept.remove(name);
    },
    changed(object) {
      const record = recordOf(object);
      if (record !== undefined) put(record);
    },
    deleted({ metadata: { name = "", namespace = "" } }) {
      const key = `${namespace}/${name}`;
      const gone = known.get(key);
      known.delete(key);
      if (gone !== undefined) kept.remove(gone);
    },
  };
}
