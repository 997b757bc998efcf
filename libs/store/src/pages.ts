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
