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
import type { FeedDamage, FeedEntry, FeedProof, FeedRange } from "./messages.js";

const rangeField = {
  entries: tag(1, lengthDelimited),
  revision: tag(2, varint),
  count: tag(3, varint),
  damaged: tag(4, lengthDelimited),
  proof: tag(5, lengthDelimited),
} as const;
/** Damage and proofs begin alike; the text is why, or the digest. */
const noteField = {
  key: tag(1, lengthDelimited),
  revision: tag(2, varint),
  text: tag(3, lengthDelimited),
  sealed: tag(4, varint),
} as const;

interface Note {
  readonly key: string;
  readonly revision: number;
  readonly text: string;
  readonly sealed: boolean;
}

const noteOfDamage = ({ why, sealed, ...at }: FeedDamage): Note => ({ ...at, text: why, sealed: sealed === true });
const noteOfProof = ({ digest, ...at }: FeedProof): Note => ({ ...at, text: digest, sealed: false });

function noteSize({ key, revision, text, sealed }: Note): number {
  return fieldSize(textLength(key)) + wholeFieldSize(revision) + fieldSize(textLength(text)) + flagFieldSize(sealed);
}

function writeNote(target: Buffer, at: number, { tag: inTag, note }: { readonly tag: number; readonly note: Note }) {
  target[at++] = inTag;
  at = writeVarint(target, at, noteSize(note));
  at = writeText(target, at, { tag: noteField.key, text: note.key });
  at = writeWholeField(target, at, { tag: noteField.revision, value: note.revision });
  at = writeText(target, at, { tag: noteField.text, text: note.text });
  return writeFlagField(target, at, { tag: noteField.sealed, flag: note.sealed });
}

function readNote(bytes: Uint8Array): Note {
  const reader = createWireReader(asBuffer(bytes));
  let [key, revision, text, sealed] = ["", 0, "", false];
  while (reader.at < reader.end) {
    const fieldTag = reader.varint();
    if (fieldTag === noteField.key) key = reader.text();
    else if (fieldTag === noteField.revision) revision = reader.whole();
    else if (fieldTag === noteField.text) text = reader.text();
    else if (fieldTag === noteField.sealed) sealed = reader.varint() !== 0;
    else reader.skip(fieldTag);
  }
  return { key, revision, text, sealed };
}

function readDamage(bytes: Uint8Array): FeedDamage {
  const { key, revision, text, sealed } = readNote(bytes);
  return { key, revision, why: text, ...(sealed ? { sealed } : {}) };
}

/** `RangeReply` by hand: whoever loads a cache gets everything that is stored in these. */
export const rangeReplyCodec: SizedCodec<FeedRange> = sizedCodec({
  size({ entries, revision, count, damaged, proof }) {
    let size = wholeFieldSize(revision) + wholeFieldSize(count);
    for (const entry of entries) size += messageFieldSize(entrySize(entry));
    for (const damage of damaged) size += messageFieldSize(noteSize(noteOfDamage(damage)));
    return size + (proof === undefined ? 0 : messageFieldSize(noteSize(noteOfProof(proof))));
  },
  write({ entries, revision, count, damaged, proof }, target, at) {
    for (const entry of entries) at = writeEntry(target, at, { tag: rangeField.entries, entry });
    at = writeWholeField(target, at, { tag: rangeField.revision, value: revision });
    at = writeWholeField(target, at, { tag: rangeField.count, value: count });
    for (const damage of damaged) at = writeNote(target, at, { tag: rangeField.damaged, note: noteOfDamage(damage) });
    if (proof !== undefined) writeNote(target, at, { tag: rangeField.proof, note: noteOfProof(proof) });
  },
  decode(bytes) {
    const reader = createWireReader(asBuffer(bytes));
    const entries: FeedEntry[] = [];
    const damaged: FeedDamage[] = [];
    let revision = 0;
    let count = 0;
    let proof: FeedProof | undefined;
    while (reader.at < reader.end) {
      const fieldTag = reader.varint();
      if (fieldTag === rangeField.entries) entries.push(readEntry(reader.bytes()));
      else if (fieldTag === rangeField.revision) revision = reader.whole();
      else if (fieldTag === rangeField.count) count = reader.whole();
      else if (fieldTag === rangeField.damaged) damaged.push(readDamage(reader.bytes()));
      else if (fieldTag === rangeField.proof) {
        const { key, revision: of, text } = readNote(reader.bytes());
        proof = { key, revision: of, digest: text };
      } else reader.skip(fieldTag);
    }
    return { entries, revision, count, damaged, proof };
  },
});
