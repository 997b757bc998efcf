import type { AnyObject } from "@orch/api/object.js";
import type { Collection, ObjectSource } from "../object-source.js";

/** Objects in a map, as a source of them. */
export interface ObjectMap extends ObjectSource {
  /** By `<resource>/[<namespace>/]<name>`. */
  put(path: string, object: AnyObject): void;
  remove(path: string): void;
  /** From now on nobody can be asked, or again. */
  away(is: boolean): void;
  /** What was asked for, in order. */
  readonly asked: readonly string[];
}

export function objectMap(): ObjectMap {
  const objects = new Map<string, AnyObject>();
  const asked: string[] = [];
  let gone = false;
  const pathOf = ({ resource, namespace }: Collection, name: string): string =>
    [resource, ...(namespace === undefined ? [] : [namespace]), name].join("/");
  return {
    asked,
    put: (path, object) => void objects.set(path, object),
    remove: (path) => void objects.delete(path),
    away: (is) => {
      gone = is;
    },
    async get(collection, name) {
      const path = pathOf(collection, name);
      asked.push(path);
      if (gone) throw new Error("nobody answers");
      return objects.get(path);
    },
    follow: () => ({ stop: () => {} }),
  };
}
