import {
  asBuffer,
  createWireReader,
  fieldSize,
  flagFieldSize,
  lengthDelimited,
  tag,
  textLength,
  varint,
  wholeFieldSize,
  writeBytes,
  writeFlagField,
  writeText,
  writeVarint,
  writeWholeField,
} from "../wire.js";
import type { FeedEntry } from "./messages.js";

const field = {
  key: tag(1, lengthDelimited),
  value: tag(2, lengthDelimited),
  revision: tag(3, varint),
  created: tag(4, varint),
  stale: tag(5, varint),
} as const;

export function entrySize({ key, value, revision, created, stale }: FeedEntry): number {
  return (
    fieldSize(textLength(key)) +
    fieldSize(value.length) +
    wholeFieldSize(revision) +
    wholeFieldSize(created) +
    flagFieldSize(stale === true)
  );
}

/** A field of a message with the entry; the position after it. */
export function writeEntry(
  target: Buffer,
  at: number,
  { tag: inTag, entry }: { readonly tag: number; readonly entry: FeedEntry },
): number {
  target[at++] = inTag;
  at = writeVarint(target, at, entrySize(entry));
  at = writeText(target, at, { tag: field.key, text: entry.key });
  at = writeBytes(target, at, { tag: field.value, bytes: entry.value });
  at = writeWholeField(target, at, { tag: field.revision, value: entry.revision });
  at = writeWholeField(target, at, { tag: field.created, value: entry.created });
  return writeFlagField(target, at, { tag: field.stale, flag: entry.stale === true });
}

/** The value is a view of what was received. */
export function readEntry(bytes: Uint8Array): FeedEntry {
  const reader = createWireReader(asBuffer(bytes));
  let [key, revision, created, stale] = ["", 0, 0, false];
  let value: Buffer = Buffer.alloc(0);
  while (reader.at < reader.end) {
    const fieldTag = reader.varint();
    if (fieldTag === field.key) key = reader.text();
    else if (fieldTag === field.value) value = reader.bytes();
    else if (fieldTag === field.revision) revision = reader.whole();
    else if (fieldTag === field.created) created = reader.whole();
    else if (fieldTag === field.stale) stale = reader.varint() !== 0;
    else reader.skip(fieldTag);
  }
  return stale ? { key, value, revision, created, stale } : { key, value, revision, created };
}
