import { type Key, key, type Revision } from "./revision.js";
import type { Range, RangeQuery, Store } from "./store.js";

export interface PagesQuery {
  readonly prefix: Key;
  /** Entries a page. */
  readonly limit: number;
  /** All pages show the revision of the first; otherwise each shows the newest. */
  readonly consistent?: boolean;
  /** As of a range query. */
  readonly damaged?: RangeQuery["damaged"];
}

/** Everything under a prefix, page by page, in key order. */
export async function* pages(store: Store, whole: PagesQuery): AsyncGenerator<Range> {
  const { prefix, limit, consistent = false, damaged } = whole;
  const told = damaged === undefined ? {} : { damaged };
  let at: Revision | undefined;
  let from: Key | undefined;
  do {
    const begin = from === undefined ? {} : { from };
    const query = { prefix, limit, ...told, ...begin, ...(at === undefined ? {} : { at }) };
    const page = await store.range(query);
    if (consistent) at ??= page.revision;
    yield page;
    from = behind(page);
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
 * values are lent; what cannot be read is told beside the rest, and each page proves its newest entry.
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
  ask({ prefix, limit: firstPage, lent: true, damaged: "told", prove: "newest" });
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
  const from = behind(page);
  if (from === undefined) return undefined;
  const fitting = Math.floor((page.entries.length * pageBytes) / Math.max(1, bytesOf(page)));
  const limit = Math.max(1, Math.min(largestPage, fitting));
  return { prefix, from, at: page.revision, limit, lent: true, damaged: "told", prove: "newest" };
}

/** Where the next page begins; undefined behind the last one. */
function behind({ entries, damaged = [], count }: Range): Key | undefined {
  const last = lastOf(entries.at(-1)?.key, damaged.at(-1)?.key);
  return last === undefined || entries.length + damaged.length >= count ? undefined : key(`${last}\0`);
}

function lastOf(a: Key | undefined, b: Key | undefined): Key | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) > 0 ? a : b;
}

const bytesOf = ({ entries }: Range): number => entries.reduce((sum, { value }) => sum + value.length, 0);
