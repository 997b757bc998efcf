import type { AnyObject } from "@orch/api/object.js";
import type { Collection, Follower, ObjectSource } from "../../object-source.js";

/** Objects by their collections, told to followers at once. */
export interface Collections extends ObjectSource {
  put(resource: string, object: AnyObject): void;
  remove(resource: string, object: AnyObject): void;
  /** Deletes without a word, as where changes are missed. */
  lose(resource: string, object: AnyObject): void;
  /** Tells a collection anew, as after a gap; the first time is when its followers have it. */
  tell(resource: string): void;
  readonly followed: readonly Collection[];
}

export function createCollections(resources: readonly string[]): Collections {
  const objects = new Map(resources.map((resource) => [resource, new Map<string, AnyObject>()]));
  const followers = new Map<string, Follower>();
  const followed: Collection[] = [];
  const keyOf = ({ metadata }: AnyObject): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
  return {
    followed,
    get: () => Promise.reject(new Error("nobody is asked for one")),
    follow(collection, follower) {
      followed.push(collection);
      followers.set(collection.resource, follower);
      return { stop: () => void followers.delete(collection.resource) };
    },
    put(resource, object) {
      objects.get(resource)?.set(keyOf(object), object);
      followers.get(resource)?.changed(object);
    },
    remove(resource, object) {
      objects.get(resource)?.delete(keyOf(object));
      followers.get(resource)?.deleted(object);
    },
    lose: (resource, object) => void objects.get(resource)?.delete(keyOf(object)),
    tell: (resource) => followers.get(resource)?.replaced([...(objects.get(resource)?.values() ?? [])], 0),
  };
}

export const rbacResources = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"] as const;
