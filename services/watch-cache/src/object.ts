import { type AnyObject, withMetadata } from "@orch/api/object.js";
import type { EventType, Item } from "@orch/cache/change.js";
import { objectOf } from "@orch/codec/json.js";
import { spliceVersion } from "@orch/codec/stored-object.js";
import { noObject } from "@orch/store/damaged-entry.js";
import type { Allocate } from "@orch/store/slabs.js";
import type { Entry } from "@orch/store/store.js";
import type { HeadPool } from "./head-pool.js";
import type { LabelPool, Labels } from "./label-pool.js";
import { unreadable } from "./mirror/unreadable.js";
import { pick, valueEnd, wanted } from "./pick.js";

/** An object as the cache holds it: the whole JSON document as a get answers it, and what selectors ask of it. */
export interface CachedObject extends Item {
  readonly bytes: Buffer;
  readonly itemAt: number;
  readonly versionAt: number;
  readonly labels: Labels | undefined;
  /** What stands before its metadata, of a custom resource: its versions differ there. */
  readonly head: string | undefined;
  /** Values of the kind's selectable fields, as text; undefined for a kind that has none of its own. */
  readonly fields: Readonly<Record<string, string>> | undefined;
}

/** The values that field selectors see in an object; undefined for a kind that has no fields of its own. */
export type FieldsOf = ((object: AnyObject) => Readonly<Record<string, string>>) | undefined;

const labelsOnly = wanted(["labels"]);
const metadataName = '"metadata":';

/** How the values that selectors ask for are taken out of a kind's objects. */
export interface Taken {
  readonly labels: LabelPool;
  /** Undefined for kinds of which every object is stored in one version. */
  readonly heads: HeadPool | undefined;
  readonly fields: FieldsOf;
}

export interface Stored {
  readonly value: Buffer;
  readonly revision: number;
}

/**
 * A stored value and its revision as a cached object; the value's memory is not kept, its bytes
 * have memory of their own or what `allocate` gives.
 */
export function cachedObject(key: string, stored: Stored, taken: Taken, allocate?: Allocate): CachedObject {
  const { value, revision } = stored;
  const { bytes, itemAt, versionAt } = spliceVersion(value, revision, allocate);
  const labels = pick(value, itemAt + metadataName.length, labelsOnly).get("labels");
  return {
    key,
    revision,
    size: bytes.length,
    bytes,
    itemAt,
    versionAt,
    labels: labels === undefined ? undefined : taken.labels(labels),
    head: taken.heads?.(bytes, itemAt),
    fields: taken.fields?.(withMetadata(objectOf(value))),
  };
}

/** The same of a value that was just read. @throws ApiError InternalError that names it, where it is no object */
export function readObject(key: string, entry: Entry, taken: Taken): CachedObject {
  try {
    return cachedObject(key, entry, taken);
  } catch {
    throw unreadable([noObject(entry)]);
  }
}

export function parsedWhole({ bytes }: CachedObject): AnyObject {
  return withMetadata(objectOf(bytes));
}

/** The object without what stands beside its metadata, which may be a megabyte. */
export function parsedMetadata(object: CachedObject): AnyObject {
  return withMetadata({ metadata: objectOf(metadataBytes(object)) });
}

/** The metadata's own bytes. */
export function metadataBytes({ bytes, itemAt }: CachedObject): Buffer {
  const from = itemAt + metadataName.length;
  return bytes.subarray(from, valueEnd(bytes, from));
}

const eventOpen: Record<EventType, Buffer> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};
const eventClose = Buffer.from("}\n");

/** One line of a watch stream (rules: Watch event); `revision` stands in the object where it is newer. */
export function eventFrame(type: EventType, object: CachedObject, revision: number): Buffer {
  const open = eventOpen[type];
  const document = object.bytes.subarray(0, object.bytes.length - 1);
  if (revision === object.revision) return Buffer.concat([open, document, eventClose]);
  const rest = object.versionAt + String(object.revision).length;
  return Buffer.concat([
    open,
    document.subarray(0, object.versionAt),
    Buffer.from(String(revision), "latin1"),
    document.subarray(rest),
    eventClose,
  ]);
}

/** Bytes that {@link copyItem} writes for an object. */
export function itemSize(object: CachedObject): number {
  return object.size - object.itemAt;
}

/** The object as an item of a list: without kind and apiVersion, as the reference has it. */
export function copyItem(object: CachedObject, into: Buffer, at: number): number {
  into[at] = 0x7b;
  return at + 1 + object.bytes.copy(into, at + 1, object.itemAt, object.size - 1);
}
