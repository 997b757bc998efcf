import { type Key, key, type Revision } from "./revision.js";
import type { Range, Store } from "./store.js";

export interface PagesQuery {
  readonly prefix: Key;
  /** Entries a page. */
  readonly limit: number;
  /** All pages show the revision of the first; otherwise each shows the newest. */
  readonly consistent?: boolean;
}

/** Everything under a prefix, page by page, in key order. */
export async function* pages(store: Store, { prefix, limit, consistent = false }: PagesQuery): AsyncGenerator<Range> {
  let at: Revision | undefined;
  let from: Key | undefined;
  do {
    const query = { prefix, limit, ...(from === undefined ? {} : { from }), ...(at === undefined ? {} : { at }) };
    const page = await store.range(query);
    if (consistent) at ??= page.revision;
    yield page;
    const last = page.entries.at(-1);
    from = last !== undefined && page.entries.length < page.count ? key(`${last.key}\0`) : undefined;
  } while (from !== undefined);
}

export interface SnapshotQuery {
  readonly prefix: Key;
  /** About how many bytes of values a page has. */
  readonly pageBytes?: number;
}

const firstPage = 500;
const largestPage = 20_000;

/**
 * Everything under a prefix at one revision, for whoever copies all of it: the next page is read while the last one
 * is taken in, pages are as large as `pageBytes` allows (etcd walks its index to the end for each), values are lent.
 */
export async function* snapshot(store: Store, { prefix, pageBytes = 8 << 20 }: SnapshotQuery): AsyncGenerator<Range> {
  let limit = firstPage;
  let next: Promise<Range> | undefined = store.range({ prefix, limit, lent: true });
  while (next !== undefined) {
    const page: Range = await next;
    const last = page.entries.at(-1);
    next = undefined;
    if (last !== undefined && page.entries.length < page.count) {
      limit = Math.max(
        1,
        Math.min(largestPage, Math.floor((page.entries.length * pageBytes) / Math.max(1, bytesOf(page)))),
      );
      next = store.range({ prefix, from: key(`${last.key}\0`), at: page.revision, limit, lent: true });
      // Its failure is told when it is awaited, unless nobody comes back for it.
      next.catch(() => undefined);
    }
    yield page;
  }
}

const bytesOf = ({ entries }: Range): number => entries.reduce((sum, { value }) => sum + value.length, 0);
