import { expired } from "@orch/status/api-error.js";
import { createPace } from "../pace.js";
import type { Snapshot } from "./database.js";

/**
 * What differed at revision `at` from the state of a snapshot: key → the key's revision then, 0 where
 * it did not exist.
 *
 * ```
 * log  1:a  2:b  3:a  4:delete b        at 2, seen from 4   →   a → 1, b → 2
 * ```
 *
 * The first change of a key after `at` knows it, by the revision that it replaced.
 */
export interface Past {
  readonly at: number;
  readonly seenFrom: number;
  readonly places: ReadonlyMap<string, number>;
}

export interface PastReader {
  /** The difference between `at` and the snapshot; walks the log above `at` (or above what an earlier call saw). */
  read(snapshot: Snapshot, at: number): Promise<Past>;
}

const keptViews = 4;
const keptPlaces = 100_000;

/** Keeps the last few views, so that the pages of one list walk the log once and not once a page. */
export function createPastReader(): PastReader {
  const kept = new Map<number, Past>();
  return {
    async read(snapshot, at) {
      const known = kept.get(at);
      if (known !== undefined && known.seenFrom > snapshot.revision) return walk(snapshot, at, undefined);
      const past = await walk(snapshot, at, known);
      kept.delete(at);
      if (past.places.size <= keptPlaces) kept.set(at, past);
      for (const oldest of kept.keys()) {
        if (kept.size <= keptViews) break;
        kept.delete(oldest);
      }
      return past;
    },
  };
}

async function walk(snapshot: Snapshot, at: number, known: Past | undefined): Promise<Past> {
  if (known?.seenFrom === snapshot.revision) return known;
  const pace = createPace();
  const places = new Map(known?.places);
  for (const { revision, head } of snapshot.heads((known?.seenFrom ?? at) + 1)) {
    // Of which key it told is not known, and so is what the state was.
    if (head.type === "damaged") throw expired(`the state at revision ${at} is lost: ${revision} cannot be read`);
    const key = head.key.toString("utf8");
    if (!places.has(key)) places.set(key, head.previous);
    const pause = pace();
    if (pause !== undefined) await pause;
  }
  return { at, seenFrom: snapshot.revision, places };
}
