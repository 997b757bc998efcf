import { isReadable, type NoteSpace } from "../notes.js";
import type { Key } from "../revision.js";
import type { EmbeddedDatabase, Snapshot } from "./database.js";
import type { StoredNote } from "./decide.js";
import type { LogRecord } from "./record.js";
import type { FoundDamage } from "./scrub.js";

/** What became of something that was damaged. */
export type Mended =
  /** The backup has the very same state. */
  | { readonly how: "restored" }
  /** The backup's state is older: it stands there now as a new change. */
  | { readonly how: "set back"; readonly from: number }
  /** It is deleted, as a new change. */
  | { readonly how: "removed" }
  /** It was history, which now begins behind it. */
  | { readonly how: "forgotten" }
  /** Nothing could be done with what was given. */
  | { readonly how: "left" };

export interface MendOptions {
  readonly database: EmbeddedDatabase;
  /** Where lost states are taken from. */
  readonly backup: EmbeddedDatabase | undefined;
  /** Deletes what cannot be restored. */
  readonly remove: boolean;
}

/** Mends one thing after the other, each in a commit of its own; what was done, in the same order. */
export async function mend(damaged: readonly FoundDamage[], options: MendOptions): Promise<readonly Mended[]> {
  const mended: Mended[] = [];
  for (const damage of damaged) mended.push(await mendOne(damage, options));
  return mended;
}

async function mendOne(damage: FoundDamage, options: MendOptions): Promise<Mended> {
  const { database, backup, remove } = options;
  const { note } = damage;
  if (note !== undefined) return mendNote({ space: note, key: damage.key }, options);
  if (!damage.present) {
    const compacted = Math.max(
      damage.revision,
      reading(database, (snapshot) => snapshot.compacted),
    );
    await database.commit({ compacted, forgotten: [damage.revision] });
    return { how: "forgotten" };
  }
  const lost = backup === undefined ? undefined : reading(backup, (snapshot) => standing(snapshot, damage));
  if (lost?.revision === damage.revision) {
    await database.commit({ records: new Map([[lost.revision, lost.record]]) });
    return { how: "restored" };
  }
  if (lost !== undefined) {
    await change(database, damage, lost.record.value);
    return { how: "set back", from: lost.revision };
  }
  if (!remove) return { how: "left" };
  await change(database, damage, undefined);
  return { how: "removed" };
}

/** A note is history: one that no backup has is given up. */
async function mendNote(of: NotePlace, { database, backup }: MendOptions): Promise<Mended> {
  const whole = backup === undefined ? undefined : reading(backup, (snapshot) => wholeNote(snapshot, of));
  if (whole === undefined) {
    await database.commit({ removedNotes: { space: of.space, keys: [of.key] } });
    return { how: "forgotten" };
  }
  await database.commit({ notes: [whole] });
  return { how: "restored" };
}

interface NotePlace {
  readonly space: NoteSpace;
  readonly key: Key;
}

/** The same note as it was written. */
function wholeNote(snapshot: Snapshot, { space, key }: NotePlace): StoredNote | undefined {
  const start = Buffer.from(key);
  for (const note of snapshot.notes(space, { start, end: Buffer.concat([start, Buffer.alloc(1)]) }))
    return isReadable(note) ? { ...note, space } : undefined;
  return undefined;
}

/** What stands at the key there, with all that its line says. */
function standing(snapshot: Snapshot, { key }: FoundDamage): { revision: number; record: LogRecord } | undefined {
  const place = snapshot.find(Buffer.from(key));
  if (place === undefined) return undefined;
  for (const { revision, record } of snapshot.changes(place.revision)) {
    const whole = revision === place.revision && record.type === "put" && record.key.equals(Buffer.from(key));
    return whole ? { revision, record } : undefined;
  }
  return undefined;
}

/** A new change of the key, as a server would make it; compaction then takes the damaged line away. */
async function change(database: EmbeddedDatabase, damage: FoundDamage, value: Buffer | undefined): Promise<void> {
  const { newest, place } = reading(database, (snapshot) => ({
    newest: snapshot.revision,
    place: snapshot.find(Buffer.from(damage.key)),
  }));
  const revision = newest + 1;
  const created = place?.created ?? revision;
  const key = Buffer.from(damage.key);
  const type = value === undefined ? "delete" : "put";
  const record: LogRecord = { type, created, previous: damage.revision, key, value: value ?? Buffer.alloc(0) };
  const after = value === undefined ? undefined : { revision, created };
  await database.commit({ revision, records: new Map([[revision, record]]), places: new Map([[damage.key, after]]) });
}

function reading<T>(database: EmbeddedDatabase, read: (snapshot: Snapshot) => T): T {
  const snapshot = database.snapshot();
  try {
    return read(snapshot);
  } finally {
    snapshot.release();
  }
}
