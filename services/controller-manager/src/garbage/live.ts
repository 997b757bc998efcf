import type { Client } from "@orch/client/http/http.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { patchTypes } from "@orch/client/patch-types.js";
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
  /** Media type of one object's metadata. */
  readonly accept: string;
  readonly place: LiveObjects["place"];
  readonly signal: AbortSignal;
}): LiveObjects {
  const { client, accept, signal, place } = deps;
  const get: LiveObjects["get"] = ({ collection, identity }) =>
    client.get(collection, identity.name, { accept, signal }).catch(undefinedWhereMissing);
  return {
    place,
    get,
    async delete({ collection, identity }, { resourceVersion, propagation }) {
      const version = resourceVersion === undefined ? {} : { resourceVersion };
      await client.delete(collection, identity.name, {
        preconditions: { uid: identity.uid, ...version },
        propagationPolicy: propagation,
        signal,
      });
    },
    async changeMetadata(at, change) {
      const { collection, identity } = at;
      for (let attempt = 1; ; attempt++) {
        const object = await get(at);
        if (object === undefined || object.metadata.uid !== identity.uid) return;
        const changed = change(object);
        if (changed === undefined) return;
        const { uid, resourceVersion } = object.metadata;
        // What others change meanwhile is a conflict: lists are replaced whole.
        const body = { metadata: { uid, resourceVersion, ...changed } };
        try {
          await client.patch(collection, identity.name, { type: patchTypes.merge, body, accept, signal });
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
