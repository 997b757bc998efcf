import { DamagedEntry } from "../damaged-entry.js";
import { type Key, key, revision } from "../revision.js";
import type { Allocate } from "../slabs.js";
import type { Entry, ReadableEvent } from "../store.js";
import type { Snapshot } from "./database.js";
import type { DamagedRecord, LogRecord, Standing } from "./record.js";

export function toKey(bytes: Buffer): Key {
  return key(bytes.toString("utf8"));
}

export function toEntry(at: number, record: LogRecord): Entry {
  return { key: toKey(record.key), value: record.value, revision: revision(at), created: revision(record.created) };
}

/** @throws DamagedEntry where the log does not hold what the index says */
export function entryAt(snapshot: Snapshot, of: Standing, allocate?: Allocate): Entry {
  const entry = snapshot.entry(of, allocate);
  if ("why" in entry) throw new DamagedEntry(damageOf(of, entry));
  return entry;
}

export function damageOf(of: Standing, { why }: DamagedRecord) {
  return { key: toKey(of.key), revision: revision(of.revision), why };
}

/** The snapshot may be absent for a creation, which has no state before it. */
export function toEvent(snapshot: Snapshot | undefined, at: number, record: LogRecord): ReadableEvent {
  const before =
    record.previous === 0 ? undefined : snapshot?.entry({ key: record.key, revision: record.previous }, undefined);
  const previous = before === undefined || "why" in before ? undefined : before;
  if (record.type === "put") return { type: "put", entry: toEntry(at, record), previous };
  return { type: "delete", key: toKey(record.key), revision: revision(at), previous };
}
