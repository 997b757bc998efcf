import type { Client } from "@orch/client/http.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Identity } from "./references.js";

/** The collection of a kind, and whether its objects have a namespace. */
export interface KindPlace {
  readonly collection: Collection;
  readonly namespaced: boolean;
}

export type Propagation = "Foreground" | "Background" | "Orphan";

/** Objects as the server has them now. Every method throws ApiError. */
export interface LiveObjects {
  /** Undefined where the server does not serve the kind. */
  place(kind: { readonly apiVersion: string; readonly kind: string }): KindPlace | undefined;
  /** Its metadata; undefined where there is none of that name. The uid is the caller's to compare. */
  get(at: Located): Promise<ApiObject | undefined>;
  delete(at: Located, how: DeleteHow): Promise<void>;
  /** Writes what `change` makes of the object's metadata where its uid is still the same; tried again on conflicts. */
  changeMetadata(at: Located, change: (object: ApiObject) => MetadataChange | undefined): Promise<void>;
}

/** An object and the collection that it is in. */
export interface Located {
  readonly collection: Collection;
  readonly identity: Identity;
}

export interface DeleteHow {
  readonly resourceVersion: string | undefined;
  readonly propagation: Propagation;
}

/** Fields of the metadata that get new values. */
export interface MetadataChange {
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly unknown[];
}

const tries = 5;

export function createLiveObjects(deps: {
  readonly client: Client;
  readonly accept: string;
  readonly place: LiveObjects["place"];
  readonly signal: AbortSignal;
}): LiveObjects {
  const { client, accept, signal, place } = deps;
  return {
    place,
    get: ({ collection, identity }) =>
      client.get(collection, identity.name, { accept, signal }).catch(undefinedWhereMissing),
    async delete({ collection, identity }, { resourceVersion, propagation }) {
      const version = resourceVersion === undefined ? {} : { resourceVersion };
      await client.delete(collection, identity.name, {
        preconditions: { uid: identity.uid, ...version },
        propagationPolicy: propagation,
        signal,
      });
    },
    async changeMetadata({ collection, identity }, change) {
      for (let attempt = 1; ; attempt++) {
        const object = await client.get(collection, identity.name, { signal }).catch(undefinedWhereMissing);
        if (object === undefined || object.metadata.uid !== identity.uid) return;
        const changed = change(object);
        if (changed === undefined) return;
        try {
          // The whole object with its resourceVersion: what others change meanwhile is a conflict.
          await client.update(collection, { ...object, metadata: { ...object.metadata, ...changed } }, { signal });
          return;
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          if (error.reason === "NotFound") return;
          if (error.reason !== "Conflict" || attempt === tries) throw error;
        }
      }
    },
  };
}

function undefinedWhereMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.reason === "NotFound") return undefined;
  throw error;
}
