import { type CachedObject, copyItem, itemSize } from "./object.js";

export interface ListBody {
  readonly kind: string;
  readonly apiVersion: string;
  readonly resourceVersion: number;
  readonly items: readonly CachedObject[];
  /** "" on the last chunk. */
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
}

/** Bytes of one chunk; an item larger than this makes a chunk of its own. */
const chunkBytes = 128 * 1024;

const footer = Buffer.from("]}\n");
const comma = 0x2c;

/**
 * A list response (spec 1: Collection response) as a header, the items' bytes and a footer, in chunks
 * that are made one at a time, as the receiver takes them.
 */
export function* listChunks(list: ListBody): Generator<Buffer> {
  const header = headerOf(list);
  let index = 0;
  let pending: Buffer | undefined = header;
  while (pending !== undefined || index < list.items.length) {
    let size = pending?.length ?? 0;
    let end = index;
    for (let item = list.items[end]; item !== undefined; item = list.items[end]) {
      const next = itemSize(item) + (end > 0 ? 1 : 0);
      if (size > 0 && size + next > chunkBytes) break;
      size += next;
      end += 1;
    }
    const last = end === list.items.length;
    const chunk = Buffer.allocUnsafeSlow(size + (last ? footer.length : 0));
    let at = pending?.copy(chunk, 0) ?? 0;
    pending = undefined;
    for (; index < end; index++) {
      const item = list.items[index];
      if (item === undefined) break;
      if (index > 0) chunk[at++] = comma;
      at = copyItem(item, chunk, at);
    }
    if (last) footer.copy(chunk, at);
    yield chunk;
    if (last) return;
  }
}

function headerOf(list: ListBody): Buffer {
  const metadata = JSON.stringify({
    resourceVersion: String(list.resourceVersion),
    ...(list.continueToken === "" ? {} : { continue: list.continueToken }),
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
  });
  const { kind, apiVersion } = list;
  return Buffer.from(
    `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${metadata},"items":[`,
  );
}
