import type { Catalog, Kind } from "@orch/api/catalog.js";
import { selectableFields } from "@orch/api/writes.js";
import { unknownPath } from "@orch/status/api-error.js";
import type { Key } from "@orch/store/revision.js";
import type { Allocate } from "@orch/store/slabs.js";
import type { Entry } from "@orch/store/store.js";
import { createLabelPool } from "./label-pool.js";
import { type CachedObject, cachedObject, type Taken } from "./object.js";
import type { Rendition } from "./rendition.js";

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

export interface Readables {
  /** @throws ApiError NotFound for a resource that is not served. */
  of(request: { readonly group: string; readonly version: string; readonly resource: string }): Readable;
  /** Where a store key belongs; undefined for a key that is no object's. */
  place(key: Key): Place | undefined;
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

export function createReadables(catalog: Catalog, storePrefix: string): Readables {
  const made = new Map<Kind, Readable>();
  const labels = createLabelPool();

  const readable = (kind: Kind): Readable => {
    const known = made.get(kind);
    if (known !== undefined) return known;
    const fresh: Readable = {
      kind,
      keyPrefix: `${storePrefix}${kind.storage.prefix}/`,
      taken: {
        labels,
        fields:
          kind.hub.fieldSelectors.fields.length === 0 ? undefined : (object) => selectableFields(kind.hub, object),
      },
    };
    made.set(kind, fresh);
    return fresh;
  };

  return {
    of(request) {
      const kind = catalog.find(request.group, request.version, request.resource);
      if (kind === undefined) throw unknownPath();
      return readable(kind);
    },
    place(key) {
      if (!key.startsWith(storePrefix)) return undefined;
      const found = catalog.byStorageKey(key.slice(storePrefix.length));
      if (found === undefined) return undefined;
      const { kind } = found;
      const { prefix } = kind.storage;
      return {
        storagePrefix: prefix,
        key: key.slice(storePrefix.length + prefix.length + 1),
        taken: readable(kind).taken,
      };
    },
  };
}
