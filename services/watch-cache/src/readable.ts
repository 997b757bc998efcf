import type { Kind } from "@orch/api/catalog.js";
import type { CatalogHolder } from "@orch/api/custom/live-catalog.js";
import { selectableFields, selectablePaths } from "@orch/api/writes.js";
import type { Key } from "@orch/store/revision.js";
import type { Allocate } from "@orch/store/slabs.js";
import type { Entry } from "@orch/store/store.js";
import { createHeadPool } from "./head-pool.js";
import { createLabelPool } from "./label-pool.js";
import { type CachedObject, cachedObject, parsedWhole, type Taken } from "./object.js";
import type { Rendition } from "./renditions/rendition.js";

/** A kind with what reading it needs, made once. */
export interface Readable {
  readonly kind: Kind;
  /** Absolute, with the closing slash. */
  readonly keyPrefix: string;
  readonly taken: Taken;
}

/** What a read is about, and how it is to be written. */
export interface Asked {
  readonly readable: Readable;
  readonly rendition: Rendition;
}

/** Where a store key belongs: its collection, and its key in there. */
export interface Place {
  readonly storagePrefix: string;
  readonly key: string;
  readonly taken: Taken;
}

export interface ResourceAsked {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export interface Readables {
  /** Undefined for a resource that is not there, or not yet. */
  of(request: ResourceAsked): Readable | undefined;
  /** Where a store key belongs; undefined for a key that is no object's. A kind may come later than its objects. */
  place(key: Key): Place | undefined;
  /** The same objects with the fields by which their kind can be selected, where it has any. */
  refreshed(storagePrefix: string, objects: readonly CachedObject[]): readonly CachedObject[];
  /** Whether there is a kind whose objects are stored there. */
  isKnown(storagePrefix: string): boolean;
}

/** A stored value as the object of its place; undefined where it is none. */
export function objectAt({ key, taken }: Place, entry: Entry, allocate?: Allocate): CachedObject | undefined {
  try {
    return cachedObject(key, entry, taken, allocate);
  } catch {
    return undefined;
  }
}

/** An object's key in its collection: `name` or `namespace/name`. */
export function objectKey(kind: Kind, of: { readonly namespace: string; readonly name: string }): string {
  return kind.namespaced ? `${of.namespace}/${of.name}` : of.name;
}

/** `keeps`: of which storage prefixes objects are kept; of all where absent. */
export function createReadables(
  catalog: CatalogHolder,
  storePrefix: string,
  keeps: (storagePrefix: string) => boolean = () => true,
): Readables {
  const made = new WeakMap<Kind, Readable>();
  const labels = createLabelPool();
  const heads = createHeadPool();

  const readable = (kind: Kind): Readable => {
    const known = made.get(kind);
    if (known !== undefined) return known;
    const fresh: Readable = {
      kind,
      keyPrefix: `${storePrefix}${kind.storage.prefix}/`,
      taken: {
        labels,
        heads: kind.custom === undefined ? undefined : heads,
        fields: selectablePaths(kind).length === 0 ? undefined : (object) => selectableFields(kind.hub, object),
      },
    };
    made.set(kind, fresh);
    return fresh;
  };

  return {
    of(request) {
      const kind = catalog.now.find(request.group, request.version, request.resource);
      return kind === undefined ? undefined : readable(kind);
    },
    place(key) {
      if (!key.startsWith(storePrefix)) return undefined;
      const remainder = key.slice(storePrefix.length);
      const found = catalog.now.byStorageKey(remainder);
      if (found === undefined) {
        const place = placedByShape(remainder, { labels, heads });
        return place !== undefined && keeps(place.storagePrefix) ? place : undefined;
      }
      const { kind } = found;
      const { prefix } = kind.storage;
      if (!keeps(prefix)) return undefined;
      return {
        storagePrefix: prefix,
        key: remainder.slice(prefix.length + 1),
        taken: readable(kind).taken,
      };
    },
    isKnown: (storagePrefix) => catalog.now.storedAt(storagePrefix) !== undefined,
    refreshed(storagePrefix, objects) {
      const kind = catalog.now.storedAt(storagePrefix);
      const fields = kind === undefined ? undefined : readable(kind).taken.fields;
      return fields === undefined
        ? objects
        : objects.map((object) => ({ ...object, fields: fields(parsedWhole(object)) }));
    },
  };
}

/**
 * An object of a kind that is not known, or not yet: `example.com/widgets/ns/name`. Groups of definitions have a dot, which
 * no other key's first part has before two more.
 */
function placedByShape(remainder: string, pools: Pick<Taken, "labels" | "heads">): Place | undefined {
  const [group = "", plural = "", first = "", second] = remainder.split("/", 4);
  if (!group.includes(".") || plural === "" || first === "" || second === "") return undefined;
  const storagePrefix = `${group}/${plural}`;
  return { storagePrefix, key: remainder.slice(storagePrefix.length + 1), taken: { ...pools, fields: undefined } };
}
