import { type SizedCodec, sizedCodec } from "../codecs/codec.js";
import type { Chunk } from "../messages.js";
import {
  asBuffer,
  createWireReader,
  fieldSize,
  fixed64,
  lengthDelimited,
  tag,
  textLength,
  varintSize,
  wholeSize,
  writeBytes,
  writeText,
  writeVarint,
  writeWhole,
} from "../wire.js";

const tags = {
  body: tag(1, lengthDelimited),
  events: tag(2, 0),
  since: tag(3, fixed64),
  length: tag(4, 0),
  revision: tag(5, 0),
  rest: tag(6, lengthDelimited),
} as const;
const sinceSize = 1 + 8;
const nothing: Buffer = Buffer.alloc(0);

/** `Chunk` of `proto/watch_cache.proto`, by hand: the bytes of lists and watches pass through it. */
export const chunkCodec: SizedCodec<Chunk> = sizedCodec({
  size: ({ body, live, length, revision, rest = "" }) =>
    fieldSize(body.length) +
    (live === undefined ? 0 : 1 + varintSize(live.events) + sinceSize) +
    (length === undefined ? 0 : 1 + varintSize(length)) +
    (revision === undefined ? 0 : 1 + wholeSize(revision)) +
    (rest === "" ? 0 : fieldSize(textLength(rest))),
  write({ body, live, length, revision, rest = "" }, target, at) {
    let next = writeBytes(target, at, { tag: tags.body, bytes: body });
    if (live !== undefined) {
      target[next++] = tags.events;
      next = writeVarint(target, next, live.events);
      target[next++] = tags.since;
      next = target.writeDoubleLE(live.since, next);
    }
    if (length !== undefined) {
      target[next++] = tags.length;
      next = writeVarint(target, next, length);
    }
    if (revision !== undefined) {
      target[next++] = tags.revision;
      next = writeWhole(target, next, revision);
    }
    writeText(target, next, { tag: tags.rest, text: rest });
  },
  written: ({ release }) => release?.(),
  decode(bytes) {
    const reader = createWireReader(asBuffer(bytes));
    let body: Buffer = nothing;
    let events = 0;
    let since = 0;
    let length = 0;
    let revision = 0;
    let rest = "";
    while (reader.at < reader.end) {
      const fieldTag = reader.varint();
      if (fieldTag === tags.body) body = reader.bytes();
      else if (fieldTag === tags.events) events = reader.varint();
      else if (fieldTag === tags.since) since = reader.double();
      else if (fieldTag === tags.length) length = reader.varint();
      else if (fieldTag === tags.revision) revision = reader.whole();
      else if (fieldTag === tags.rest) rest = reader.text();
      else reader.skip(fieldTag);
    }
    if (rest !== "") return { body, length, rest };
    if (length > 0) return { body, length };
    if (revision > 0) return { body, ...(events === 0 ? {} : { live: { events, since } }), revision };
    return events === 0 ? { body } : { body, live: { events, since } };
  },
});
