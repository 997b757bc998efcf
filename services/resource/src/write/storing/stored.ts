import type { Kind } from "@orch/api/catalog.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { objectOf } from "@orch/codec/json.js";
import { printStored } from "@orch/codec/stored-object.js";
import { complete } from "@orch/schema/complete.js";
import { decode } from "@orch/schema/decode.js";
import { tooLarge } from "@orch/status/api-error.js";
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
    return parsedObject(kind, entry.value, entry.revision);
  } catch (error) {
    throw new DamagedEntry(noObject(entry), error);
  }
}

/** An object that a write depends on, as it stands in the store now; one with a namespace is in the write's. */
export async function findStored(write: Write, kind: Kind, name: string): Promise<AnyObject | undefined> {
  const entry = await write.deps.store.get(keyOf({ ...write, kind }, name));
  return entry === undefined ? undefined : storedObject(kind, entry);
}

function parsedObject(kind: Kind, value: Buffer, revision: number | undefined): AnyObject {
  return withRevision(withMetadata(decode(kind.type, objectOf(value)).value), revision);
}

/** The object with the resourceVersion that a revision is; without one where that is undefined. */
export function withRevision(object: AnyObject, revision: number | undefined): AnyObject {
  if (revision === undefined) return object;
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

/** As the reference writes it: with the zeros that it always writes. @throws ApiError RequestEntityTooLarge */
export function storedBytes(kind: Kind, object: AnyObject): Buffer {
  const bytes = printStored(kind, { ...complete(kind.type, object), metadata: object.metadata });
  if (bytes.length > maxObjectBytes)
    throw tooLarge(`an object may have ${maxObjectBytes} bytes, this one has ${bytes.length}`);
  return bytes;
}

/** What a write came to. */
export interface Stored {
  readonly is: "created" | "changed" | "unchanged";
  readonly bytes: Buffer;
  /** Undefined for a creation that was only tried. */
  readonly revision: number | undefined;
  readonly warnings: readonly string[];
}
