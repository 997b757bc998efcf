import { setImmediate as nextTurn } from "node:timers/promises";
import type { Kind } from "@orch/api/catalog.js";
import { printStored, spliceVersion } from "@orch/codec/stored-object.js";
import { uncounted } from "@orch/render/framing.js";
import type { Renderer } from "@orch/render/renderer.js";
import { complete } from "@orch/schema/complete.js";
import type { LRUCache } from "lru-cache";
import type { HotLists } from "../list/hot-lists.js";
import { listMetadata } from "../list/list-body.js";
import { type CachedObject, eventFrame } from "../object.js";
import type { CustomVersion } from "./custom-version.js";
import { type Rendition, signals } from "./rendition.js";
import { listParts, wholeItem } from "./stored.js";

export interface CustomMaking {
  readonly renderer: Renderer;
  readonly hotLists: HotLists;
  readonly version: CustomVersion;
  /** Objects in a version in which they are not stored, while they are hot. */
  readonly reprinted: LRUCache<string, CachedObject>;
  /** Made for what is shown now, however much of it there is. */
  readonly given?: ReadonlyMap<CachedObject, CachedObject> | undefined;
}

/** Bytes of objects that are written anew in one turn of the event loop. */
const turnBytes = 128 << 10;

/** JSON of a custom resource: the cached bytes where they show its version, else what is made of them. */
export function customRendition(id: string, kind: Kind, making: CustomMaking): Rendition {
  const { renderer, hotLists, version } = making;
  const shown = shownBy(id, kind, making);
  const event: Rendition["event"] = (type, object, revision) => eventFrame(type, shown(object), revision);
  const rendition: Rendition = {
    id,
    timeless: true,
    made: false,
    document: (object) => shown(object).bytes,
    list: (list, memory) => {
      const { head, tail } = renderer.list(listMetadata(list), uncounted);
      const items = list.items.every(version.isCurrent) ? list.items : list.items.map(shown);
      return hotLists.chunks(id, list.items, { head, tail, ...listParts(items, wholeItem) }, memory);
    },
    event,
    liveEvent: event,
    prepare(objects, span) {
      if (objects.every(version.isCurrent)) return undefined;
      const converted = version.prepare(objects, span);
      const stale = objects.filter((object) => !version.isCurrent(object));
      const isMuch = bytesOf(stale) > turnBytes;
      if (converted === undefined && !isMuch) return undefined;
      return Promise.resolve(converted).then(async (ready = version) => {
        const next = { ...making, version: ready };
        const given = isMuch ? await madeInTurns(stale, shownBy(id, kind, next)) : undefined;
        return customRendition(id, kind, { ...next, given });
      });
    },
    asks: version.asks,
    ...signals(renderer),
    get following() {
      return rendition;
    },
  };
  return rendition;
}

type Shown = (object: CachedObject) => CachedObject;

function shownBy(id: string, kind: Kind, { version, reprinted, given }: CustomMaking): Shown {
  return (object) => {
    if (version.isCurrent(object)) return object;
    const own = given?.get(object);
    if (own !== undefined) return own;
    const key = `${id}|${object.key}@${object.revision}`;
    const known = reprinted.get(key);
    if (known !== undefined) return known;
    const made = reprint(kind, object, version);
    reprinted.set(key, made, { size: made.size });
    return made;
  };
}

/** Objects that an older definition has left may be very many: nobody else waits until all of them are written anew. */
async function madeInTurns(
  objects: readonly CachedObject[],
  shown: Shown,
): Promise<ReadonlyMap<CachedObject, CachedObject>> {
  const made = new Map<CachedObject, CachedObject>();
  let bytes = 0;
  for (const object of objects) {
    made.set(object, shown(object));
    bytes += object.size;
    if (bytes < turnBytes) continue;
    bytes = 0;
    await nextTurn();
  }
  return made;
}

function bytesOf(objects: readonly CachedObject[]): number {
  let bytes = 0;
  for (const { size } of objects) bytes += size;
  return bytes;
}

/** The cached object with the bytes of another version. */
function reprint(kind: Kind, object: CachedObject, version: CustomVersion): CachedObject {
  const shown = version.parsed(object);
  const value = printStored(kind, { ...complete(kind.type, shown), metadata: shown.metadata });
  const { bytes, itemAt, versionAt } = spliceVersion(value, object.revision);
  return { ...object, bytes, size: bytes.length, itemAt, versionAt, head: bytes.toString("latin1", 0, itemAt) };
}
