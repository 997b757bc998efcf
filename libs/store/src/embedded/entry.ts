import { type Key, key, revision } from "../revision.js";
import type { Allocate } from "../slabs.js";
import type { Entry, StoreEvent } from "../store.js";
import type { Snapshot } from "./database.js";
import type { LogRecord } from "./record.js";

export function toKey(bytes: Buffer): Key {
  return key(bytes.toString("utf8"));
}

export function toEntry(at: number, record: LogRecord): Entry {
  return { key: toKey(record.key), value: record.value, revision: revision(at), created: revision(record.created) };
}

/** The entry whose value stands at a revision of the log. It is a fault when it does not: the index said so. */
export function entryAt(snapshot: Snapshot, at: number, allocate?: Allocate): Entry {
  const entry = snapshot.entry(at, allocate);
  if (entry === undefined) throw new Error(`the log has no value at revision ${at}`);
  return entry;
}

export function toEvent(snapshot: Snapshot, at: number, record: LogRecord): StoreEvent {
  const previous = record.previous === 0 ? undefined : entryAt(snapshot, record.previous);
  if (record.type === "put") return { type: "put", entry: toEntry(at, record), previous };
  if (previous === undefined) throw new Error(`the deletion at revision ${at} has no previous state`);
  return { type: "delete", key: toKey(record.key), revision: revision(at), previous };
}
