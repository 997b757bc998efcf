import { type Key, key, type Revision } from "./revision.js";
import type { Range, RangeQuery, Store } from "./store.js";

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
  /** Pages that are read while the last one is taken in. */
  readonly ahead?: number;
}

const firstPage = 500;
const largestPage = 20_000;

/**
 * Everything under a prefix at one revision, for whoever copies all of it: it is begun at once, and the next page is read
 * while the last one is taken in. Pages are as large as `pageBytes` allows (etcd walks its index to the end for each),
 * values are lent.
 */
export function snapshot(
  store: Store,
  { prefix, pageBytes = 8 << 20, ahead = 1 }: SnapshotQuery,
): AsyncGenerator<Range> {
  const asked: Promise<Range>[] = [];
  /** After what to go on, once somebody has taken a page. */
  let last: Range | undefined;
  const goOn = (): void => {
    if (last === undefined || asked.length > ahead) return;
    const query = nextQuery(last, prefix, pageBytes);
    last = undefined;
    if (query !== undefined) ask(query);
  };
  const ask = (query: RangeQuery): void => {
    const page = store.range(query);
    asked.push(page);
    page.then(
      (range) => {
        last = range;
        goOn();
      },
      // Told when it is awaited, unless nobody comes back for it.
      () => {},
    );
  };
  ask({ prefix, limit: firstPage, lent: true });
  return taken(asked, goOn);
}

async function* taken(asked: Promise<Range>[], goOn: () => void): AsyncGenerator<Range> {
  for (let page = asked[0]; page !== undefined; page = asked[0]) {
    const range = await page;
    asked.shift();
    goOn();
    yield range;
  }
}

function nextQuery(page: Range, prefix: Key, pageBytes: number): RangeQuery | undefined {
  const last = page.entries.at(-1);
  if (last === undefined || page.entries.length >= page.count) return undefined;
  const fitting = Math.floor((page.entries.length * pageBytes) / Math.max(1, bytesOf(page)));
  const limit = Math.max(1, Math.min(largestPage, fitting));
  return { prefix, from: key(`${last.key}\0`), at: page.revision, limit, lent: true };
}

const bytesOf = ({ entries }: Range): number => entries.reduce((sum, { value }) => sum + value.length, 0);
