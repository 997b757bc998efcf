import { type ChunkMemory, freshMemory } from "@orch/codec/chunk-memory.js";
import { LRUCache } from "lru-cache";
import type { CachedObject } from "../object.js";
import { type Parts, type SizedChunks, sizedChunks } from "./list-body.js";

/**
 * Items of lists that are asked for again while none of them changes (many clients that come back at once, dashboards),
 * joined once: their bytes then go out as they are, instead of being copied together for every answer.
 */
export interface HotLists {
  /**
   * The body of `parts`, which are of these items and end with the same tail whenever `id` is the same. `memory` is for
   * chunks that are made anew.
   */
  chunks(id: string, items: readonly CachedObject[], parts: Parts, memory?: ChunkMemory): SizedChunks;
  /** The store's history began anew, and its revisions may mean other objects. */
  forget(): void;
}

interface Hot {
  readonly items: readonly CachedObject[];
  /** All but the head; undefined until the same items are asked for once more. */
  readonly joined: readonly Buffer[] | undefined;
  readonly bytes: number;
}

/** Fewer are copied as fast as they are looked up. */
const leastItems = 64;
/** Of which it is remembered that they were listed. */
const mostItems = 16 * 1024;
/** After the last question. */
const forgetAfterMs = 10_000;
const bytesOfReference = 8;
const none = Buffer.alloc(0);

export function createHotLists(maxBytes: number): HotLists {
  const kept = new LRUCache<string, Hot>({
    maxSize: maxBytes,
    maxEntrySize: maxBytes / 2,
    sizeCalculation: ({ items, bytes }) => items.length * bytesOfReference + bytes,
    ttl: forgetAfterMs,
    updateAgeOnGet: true,
    ttlAutopurge: true,
  });
  const hotOf = (id: string, items: readonly CachedObject[], parts: Parts): Hot | undefined => {
    if (items.length < leastItems || items.length > mostItems) return undefined;
    const key = `${id}|${items.length}|${items[0]?.key}|${items.at(-1)?.key}`;
    const known = kept.get(key);
    if (known === undefined || !sameItems(known.items, items)) {
      kept.set(key, { items, joined: undefined, bytes: 0 });
      return undefined;
    }
    if (known.joined !== undefined) return known;
    const { bytes, chunks } = sizedChunks({ ...parts, head: none });
    // It would not be kept: joining it each time would be work for nothing.
    if (bytes > maxBytes / 2) return undefined;
    const hot = { items, joined: [...chunks], bytes };
    kept.set(key, hot);
    return hot;
  };
  return {
    chunks(id, items, parts, memory) {
      const hot = hotOf(id, items, parts);
      if (hot?.joined === undefined) return sizedChunks(parts, memory);
      return {
        bytes: parts.head.length + hot.bytes,
        chunks: [parts.head, ...hot.joined].values(),
        memory: freshMemory,
      };
    },
    forget: () => kept.clear(),
  };
}

/** The same versions of the same objects: a version that changed is another object. */
function sameItems(before: readonly CachedObject[], now: readonly CachedObject[]): boolean {
  for (let i = 0; i < now.length; i++) if (before[i] !== now[i]) return false;
  return true;
}
