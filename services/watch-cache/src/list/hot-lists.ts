import { type ChunkMemory, freshMemory } from "@orch/status/chunk-memory.js";
import { LRUCache } from "lru-cache";
import type { CachedObject } from "../object.js";
import { type Joined, type Parts, type SizedChunks, sizedChunks } from "./list-body.js";

/**
 * Items of lists that are asked for again while none of them changes (many clients that come back at once, dashboards),
 * joined once: their bytes then go out as they are, instead of being made or copied together for every answer.
 */
export interface HotLists {
  /**
   * The body of `parts`, which are of these items and end with the same tail whenever `id` is the same. `memory` is for
   * chunks that are made anew.
   */
  chunks(id: string, items: readonly CachedObject[], parts: Parts, memory?: ChunkMemory): SizedChunks;
  /** What is known of these items in the form that `id` tells; `now` is that of the ages in it. */
  seen(id: string, items: readonly CachedObject[], now: number): Seen;
  /** The store's history began anew, and its revisions may mean other objects. */
  forget(): void;
}

/** What is known of the items of a list in a form. */
export type Seen =
  /** They were not listed lately, or it is not worth it. */
  | { readonly type: "new" }
  /** They were, just so: what is made now may be kept. */
  | { readonly type: "again"; readonly keep: Keep }
  | Joined;

export interface Keep {
  /** More than this is not kept. */
  readonly mostBytes: number;
  /** Good for as long as `now` is before `until`. */
  joined(list: Joined, until: number): void;
  /** The list is too large: the next one that is the same is not to be tried again. */
  tooLarge(): void;
}

interface Hot {
  readonly items: readonly CachedObject[];
  readonly state: "listed" | "tooLarge" | Joined;
  /** When what is joined reads so, in milliseconds: it may tell ages. */
  readonly from: number;
  readonly until: number;
}

/** Fewer are copied as fast as they are looked up. */
const leastItems = 64;
/** Of which it is remembered that they were listed. */
const mostItems = 16 * 1024;
/** After the last question. */
const forgetAfterMs = 10_000;
const bytesOfReference = 8;
const none = Buffer.alloc(0);
const isNew: Seen = { type: "new" };
const always = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

export function createHotLists(maxBytes: number): HotLists {
  const mostBytes = maxBytes / 2;
  const kept = new LRUCache<string, Hot>({
    maxSize: maxBytes,
    maxEntrySize: mostBytes,
    sizeCalculation: ({ items, state }) =>
      items.length * bytesOfReference + (typeof state === "string" ? 0 : state.bytes),
    ttl: forgetAfterMs,
    updateAgeOnGet: true,
    ttlAutopurge: true,
  });
  const keepOf = (key: string, items: readonly CachedObject[], now: number): Keep => ({
    mostBytes,
    // Ages change with whole seconds: a table is joined once in a second at most.
    joined: (state, until) =>
      void kept.set(key, { items, state, until, from: until === always.until ? always.from : now }),
    tooLarge: () => void kept.set(key, { items, state: "tooLarge", ...always }),
  });
  const seen: HotLists["seen"] = (id, items, now) => {
    if (items.length < leastItems || items.length > mostItems) return isNew;
    const key = `${id}|${items.length}|${items[0]?.key}|${items.at(-1)?.key}`;
    const known = kept.get(key);
    if (known === undefined || !sameItems(known.items, items)) {
      kept.set(key, { items, state: "listed", ...always });
      return isNew;
    }
    const { state, from, until } = known;
    if (state === "tooLarge") return isNew;
    const isGood = state !== "listed" && from <= now && now < until;
    return isGood ? state : { type: "again", keep: keepOf(key, items, now) };
  };
  return {
    seen,
    chunks(id, items, parts, memory) {
      const known = seen(id, items, 0);
      const joined = known.type === "again" ? join(parts, known.keep) : known;
      if (joined.type !== "joined") return sizedChunks(parts, memory);
      return joinedList(parts.head, joined);
    },
    forget: () => kept.clear(),
  };
}

/** A list whose items are joined already. */
export function joinedList(head: Buffer, rest: Joined): SizedChunks {
  return { bytes: head.length + rest.bytes, chunks: [head, ...rest.chunks].values(), memory: freshMemory, rest };
}

/** Joins the items and keeps them; tells that they are new where they are too many bytes for that. */
export function join(parts: Parts, keep: Keep, until = always.until): Seen {
  const { bytes, chunks } = sizedChunks({ ...parts, head: none });
  // Joining it each time would be work for nothing.
  if (bytes > keep.mostBytes) {
    keep.tooLarge();
    return isNew;
  }
  const joined: Joined = { type: "joined", chunks: [...chunks], bytes, tailBytes: parts.tail.length };
  keep.joined(joined, until);
  return joined;
}

/** The same versions of the same objects: a version that changed is another object. */
function sameItems(before: readonly CachedObject[], now: readonly CachedObject[]): boolean {
  for (let i = 0; i < now.length; i++) if (before[i] !== now[i]) return false;
  return true;
}
