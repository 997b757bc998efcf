import { expired } from "@orch/status/api-error.js";
import { type Damage, DamagedEntry } from "../damaged-entry.js";
import { contains, type KeyRange, keyRange } from "../key-range.js";
import { createPace } from "../pace.js";
import { revision } from "../revision.js";
import { createSlabs } from "../slabs.js";
import type { Entry, Proof, Range, RangeQuery } from "../store.js";
import type { Snapshot } from "./database.js";
import { damageOf } from "./entry.js";
import type { PastReader } from "./past.js";
import type { Standing } from "./record.js";

/** Entries under a prefix at the newest revision or an older one (see Store.range). */
export async function readRange(snapshot: Snapshot, query: RangeQuery, past: PastReader): Promise<Range> {
  const at = query.at ?? snapshot.revision;
  if (at < snapshot.compacted) throw expired(`revision ${at} was compacted; the oldest one is ${snapshot.compacted}`);
  if (at > snapshot.revision) throw new RangeError(`revision ${at} lies in the future of ${snapshot.revision}`);
  const range = keyRange(query.prefix, query.from);
  const changed = at === snapshot.revision ? [] : await changedKeys(snapshot, range, at, past);
  const found = await collect(snapshot, places(snapshot, range, changed), query);
  return { ...found, revision: revision(at), count: count(snapshot, range, changed) };
}

/** A key that was changed after the revision asked for: its revision then (0: absent) and whether it is there now. */
interface Changed {
  readonly key: Buffer;
  readonly then: number;
  readonly now: boolean;
}

async function changedKeys(
  snapshot: Snapshot,
  range: KeyRange,
  at: number,
  past: PastReader,
): Promise<readonly Changed[]> {
  const changed: Changed[] = [];
  for (const [text, then] of (await past.read(snapshot, at)).places) {
    const key = Buffer.from(text);
    if (contains(range, key)) changed.push({ key, then, now: snapshot.find(key) !== undefined });
  }
  return changed.sort((a, b) => Buffer.compare(a.key, b.key));
}

function count(snapshot: Snapshot, range: KeyRange, changed: readonly Changed[]): number {
  let total = snapshot.count(range);
  for (const { then, now } of changed) total += (then === 0 ? 0 : 1) - (now ? 1 : 0);
  return total;
}

/** Where the values to show stand, in key order: two ordered walks merged, the changed keys winning. */
function* places(snapshot: Snapshot, range: KeyRange, changed: readonly Changed[]): Generator<Standing> {
  let next = 0;
  for (const { key, place } of snapshot.keys(range)) {
    let same = false;
    for (let c = changed[next]; c !== undefined; c = changed[next]) {
      const order = Buffer.compare(c.key, key);
      if (order > 0) break;
      next++;
      if (c.then !== 0) yield { key: c.key, revision: c.then };
      if (order === 0) {
        same = true;
        break;
      }
    }
    if (!same) yield { key, revision: place.revision };
  }
  for (const { key, then } of changed.slice(next)) if (then !== 0) yield { key, revision: then };
}

/** Values that are lent share memory of this size. */
const lentSlabBytes = 256 * 1024;

async function collect(
  snapshot: Snapshot,
  standing: Iterable<Standing>,
  { limit = Number.POSITIVE_INFINITY, lent = false, damaged: told, prove }: RangeQuery,
): Promise<Pick<Range, "entries" | "damaged" | "proof">> {
  const entries: Entry[] = [];
  const damaged: Damage[] = [];
  if (limit <= 0) return { entries };
  const allocate = lent ? createSlabs(lentSlabBytes) : undefined;
  const pace = createPace();
  for (const of of standing) {
    const entry = snapshot.entry(of, allocate);
    if (!("why" in entry)) entries.push(entry);
    else if (told === undefined) throw new DamagedEntry(damageOf(of, entry));
    else damaged.push(damageOf(of, entry));
    if (entries.length + damaged.length >= limit) break;
    const pause = pace();
    if (pause !== undefined) await pause;
  }
  const proof = prove === undefined ? undefined : proofOf(entries);
  return { entries, ...(damaged.length === 0 ? {} : { damaged }), ...(proof === undefined ? {} : { proof }) };
}

/** The data of a running process is not exchanged behind its back: that the entry was there says enough. */
function proofOf(entries: readonly Entry[]): Proof | undefined {
  let newest: Entry | undefined;
  for (const entry of entries) if (newest === undefined || entry.revision > newest.revision) newest = entry;
  return newest && { key: newest.key, revision: newest.revision, digest: "" };
}
