import type { Kind } from "@orch/api/catalog.js";
import { uncounted } from "@orch/render/framing.js";
import type { Renderer } from "@orch/render/renderer.js";
import type { HotLists } from "../list/hot-lists.js";
import { listMetadata } from "../list/list-body.js";
import { type CachedObject, copyItem, eventFrame, itemSize } from "../object.js";
import { type Rendition, signals } from "./rendition.js";

/** JSON of the stored version, or of one that only its name tells from it: the cached bytes themselves. */
export function storedRendition(
  id: string,
  kind: Kind,
  { renderer, hotLists }: { readonly renderer: Renderer; readonly hotLists: HotLists },
): Rendition {
  const named = kind.stored === kind ? undefined : renamed(kind);
  const shown = (object: CachedObject): CachedObject => named?.(object) ?? object;
  const event: Rendition["event"] = (type, object, revision) => eventFrame(type, shown(object), revision);
  const rendition: Rendition = {
    id,
    timeless: true,
    made: false,
    document: (object) => shown(object).bytes,
    list: (list, memory) => {
      const { head, tail } = renderer.list(listMetadata(list), uncounted);
      return hotLists.chunks(id, list.items, { head, tail, ...listParts(list.items, bareItem) }, memory);
    },
    event,
    liveEvent: event,
    prepare: () => undefined,
    asks: false,
    ...signals(renderer),
    get following() {
      return rendition;
    },
  };
  return rendition;
}

const comma = 0x2c;

/** How an object is written as an item of a list. */
interface ItemForm {
  readonly size: (object: CachedObject) => number;
  /** Gives the position behind it. */
  readonly copy: (object: CachedObject, into: Buffer, at: number) => number;
}

const bareItem: ItemForm = { size: itemSize, copy: copyItem };

/** Items of custom resources say what they are, as in the reference: a whole body without the newline that ends it. */
export const wholeItem: ItemForm = {
  size: ({ size }) => size - 1,
  copy: ({ bytes, size }, into, at) => at + bytes.copy(into, at, 0, size - 1),
};

export function listParts(items: readonly CachedObject[], form: ItemForm) {
  return {
    count: items.length,
    size: (i: number): number => {
      const item = items[i];
      return item === undefined ? 0 : form.size(item) + (i > 0 ? 1 : 0);
    },
    copy: (i: number, into: Buffer, at: number): number => {
      const item = items[i];
      if (item === undefined) return at;
      if (i > 0) into[at++] = comma;
      return form.copy(item, into, at);
    },
  };
}

/** The object with another apiVersion before its metadata. */
export function renamed(kind: Kind): (object: CachedObject) => CachedObject {
  const head = Buffer.from(`{"kind":${JSON.stringify(kind.kind)},"apiVersion":${JSON.stringify(kind.apiVersion)},`);
  return (object) => {
    const bytes = Buffer.concat([head, object.bytes.subarray(object.itemAt)]);
    const versionAt = object.versionAt - object.itemAt + head.length;
    return { ...object, bytes, size: bytes.length, itemAt: head.length, versionAt };
  };
}
