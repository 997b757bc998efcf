import type { Kind } from "@orch/api/catalog.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { objectOf } from "@orch/codec/json.js";
import { storedTree } from "@orch/codec/stored-object.js";
import { sharedObject } from "@orch/patch/fields/shared-tree.js";
import { complete } from "@orch/schema/complete.js";
import { decode } from "@orch/schema/decode.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { tooLarge } from "@orch/status/api-error.js";
import { jsonText } from "@orch/status/json-text.js";
import { DamagedEntry, noObject } from "@orch/store/damaged-entry.js";
import { keyOf, type Write } from "../write.js";
import type { StoredState } from "./recent-states.js";

/** An object over this is refused. */
export const maxObjectBytes = 1.5 * 1024 * 1024;

/**
 * The object of a hub that an entry of the store holds, decoded as a request's is, with its resourceVersion.
 * @throws DamagedEntry where it is none
 */
export function storedObject(kind: Kind, entry: StoredState): AnyObject {
  try {
    const { value } = decode(kind.type, treeOf(entry));
    const object = entry.written === undefined ? value : sharedObject(entry.written, value);
    return withRevision(withMetadata(object), entry.revision);
  } catch (error) {
    throw error instanceof DamagedEntry ? error : new DamagedEntry(noObject(entry), error);
  }
}

/** What the bytes of a state say; never written to. @throws DamagedEntry where that is no object */
export function treeOf(state: StoredState): JsonObject {
  try {
    return state.tree ?? objectOf(state.value);
  } catch (error) {
    throw new DamagedEntry(noObject(state), error);
  }
}

/** An object that a write depends on, as it stands in the store now; one with a namespace is in the write's. */
export async function findStored(write: Write, kind: Kind, name: string): Promise<AnyObject | undefined> {
  const entry = await write.deps.store.get(keyOf({ ...write, kind }, name));
  return entry === undefined ? undefined : storedObject(kind, entry);
}

/** The object with the resourceVersion that a revision is; without one where that is undefined. */
export function withRevision(object: AnyObject, revision: number | undefined): AnyObject {
  if (revision === undefined) return object;
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

/** An object as it is stored, and what its bytes say. */
export interface Encoded {
  readonly bytes: Buffer;
  readonly tree: JsonObject;
}

/** As the reference writes it: with the zeros that it always writes. @throws ApiError RequestEntityTooLarge */
export function encodeStored(kind: Kind, object: AnyObject): Encoded {
  const tree = storedTree(kind, { ...complete(kind.type, object), metadata: object.metadata });
  const bytes = Buffer.from(jsonText(tree));
  if (bytes.length > maxObjectBytes)
    throw tooLarge(`an object may have ${maxObjectBytes} bytes, this one has ${bytes.length}`);
  return { bytes, tree };
}

/** What a write came to. */
export interface Stored {
  readonly is: "created" | "changed" | "unchanged";
  readonly bytes: Buffer;
  /** Undefined for a creation that was only tried. */
  readonly revision: number | undefined;
  readonly warnings: readonly string[];
}
