import { type SizedCodec, sizedCodec } from "../codecs/codec.js";
import {
  asBuffer,
  createWireReader,
  fieldSize,
  flagFieldSize,
  lengthDelimited,
  messageFieldSize,
  tag,
  textLength,
  varint,
  wholeFieldSize,
  writeFlagField,
  writeText,
  writeVarint,
  writeWholeField,
} from "../wire.js";
import { entrySize, readEntry, writeEntry } from "./entry-codec.js";
import type { FeedEntry, FeedEvent, FeedItem } from "./messages.js";

const itemField = {
  events: tag(1, lengthDelimited),
  progress: tag(2, varint),
  setBack: tag(3, lengthDelimited),
} as const;
const eventField = {
  entry: tag(1, lengthDelimited),
  key: tag(2, lengthDelimited),
  revision: tag(3, varint),
  previous: tag(4, lengthDelimited),
  why: tag(5, lengthDelimited),
  sealed: tag(6, varint),
} as const;

const optionalEntrySize = (entry: FeedEntry | undefined): number =>
  entry === undefined ? 0 : messageFieldSize(entrySize(entry));

function eventSize(event: FeedEvent): number {
  switch (event.type) {
    case "put":
      return messageFieldSize(entrySize(event.entry)) + optionalEntrySize(event.previous);
    case "delete":
      return fieldSize(textLength(event.key)) + wholeFieldSize(event.revision) + optionalEntrySize(event.previous);
    case "damaged":
      return (
        fieldSize(textLength(event.key ?? "")) +
        wholeFieldSize(event.revision) +
        fieldSize(textLength(event.why)) +
        flagFieldSize(event.sealed === true)
      );
  }
}

function writeEvent(target: Buffer, at: number, event: FeedEvent): number {
  target[at++] = itemField.events;
  at = writeVarint(target, at, eventSize(event));
  if (event.type === "put") at = writeEntry(target, at, { tag: eventField.entry, entry: event.entry });
  else {
    at = writeText(target, at, { tag: eventField.key, text: event.key ?? "" });
    at = writeWholeField(target, at, { tag: eventField.revision, value: event.revision });
  }
  if (event.type !== "damaged") {
    const { previous } = event;
    return previous === undefined ? at : writeEntry(target, at, { tag: eventField.previous, entry: previous });
  }
  at = writeText(target, at, { tag: eventField.why, text: event.why });
  return writeFlagField(target, at, { tag: eventField.sealed, flag: event.sealed === true });
}

function readEvent(bytes: Uint8Array): FeedEvent {
  const reader = createWireReader(asBuffer(bytes));
  let [key, why, revision, sealed] = ["", "", 0, false];
  let entry: FeedEntry | undefined;
  let previous: FeedEntry | undefined;
  while (reader.at < reader.end) {
    const fieldTag = reader.varint();
    if (fieldTag === eventField.entry) entry = readEntry(reader.bytes());
    else if (fieldTag === eventField.key) key = reader.text();
    else if (fieldTag === eventField.revision) revision = reader.whole();
    else if (fieldTag === eventField.previous) previous = readEntry(reader.bytes());
    else if (fieldTag === eventField.why) why = reader.text();
    else if (fieldTag === eventField.sealed) sealed = reader.varint() !== 0;
    else reader.skip(fieldTag);
  }
  if (entry !== undefined) return { type: "put", entry, previous };
  if (why === "") return { type: "delete", key, revision, previous };
  const damaged = { type: "damaged", key: key === "" ? undefined : key, revision, why } as const;
  return sealed ? { ...damaged, sealed } : damaged;
}

/** `Item` by hand: every change goes to every follower as one. */
export const itemCodec: SizedCodec<FeedItem> = sizedCodec({
  size(item) {
    switch (item.type) {
      case "events": {
        let size = 0;
        for (const event of item.events) size += messageFieldSize(eventSize(event));
        return size;
      }
      case "progress":
        return wholeFieldSize(item.revision);
      case "setBack":
        return fieldSize(textLength(item.why));
    }
  },
  write(item, target, at) {
    switch (item.type) {
      case "events":
        for (const event of item.events) at = writeEvent(target, at, event);
        return;
      case "progress":
        writeWholeField(target, at, { tag: itemField.progress, value: item.revision });
        return;
      case "setBack":
        writeText(target, at, { tag: itemField.setBack, text: item.why });
    }
  },
  decode(bytes) {
    const reader = createWireReader(asBuffer(bytes));
    const events: FeedEvent[] = [];
    let progress = 0;
    let why = "";
    while (reader.at < reader.end) {
      const fieldTag = reader.varint();
      if (fieldTag === itemField.events) events.push(readEvent(reader.bytes()));
      else if (fieldTag === itemField.progress) progress = reader.whole();
      else if (fieldTag === itemField.setBack) why = reader.text();
      else reader.skip(fieldTag);
    }
    if (why !== "") return { type: "setBack", why };
    return progress > 0 ? { type: "progress", revision: progress } : { type: "events", events };
  },
});
