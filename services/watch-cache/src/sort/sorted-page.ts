import { expired } from "@orch/status/api-error.js";
import type { Found, Page } from "../list/list-from-store.js";
import { isSelective } from "../list/list-from-store.js";
import type { CachedObject } from "../object.js";
import type { SortOrder } from "./sort-order.js";
import { positionBehind, type Sorted } from "./sorted.js";

/** What a sorted list is made of. */
export interface Whole {
  /** Everything that the list and its later pages show. */
  readonly found: Found;
  readonly page: Page;
  readonly order: SortOrder;
  /** An object at the list's revision; undefined where that is not in memory. */
  readonly get: (key: string) => CachedObject | undefined;
}

/**
 * The page of a sorted list that comes behind the last object of the one before, wherever that object stands: the client may have lost
 * the right to see it meanwhile. @throws ApiError Expired where it is not known any more
 */
export async function sortedPage(sorted: Sorted, { found, page, order, get }: Whole): Promise<Found> {
  const { readable, selector, after, limit = Number.POSITIVE_INFINITY } = page;
  const last = after === undefined ? undefined : (get(after) ?? found.items.find(({ key }) => key === after));
  if (after !== undefined && last === undefined) {
    throw expired("The provided continue parameter is too old to go on with a sorted list; list it anew.");
  }
  const rows = await sorted.of(`${readable.kind.storage.prefix}|${selector.id}`, found.items, order);
  const begin = last === undefined ? 0 : positionBehind(rows, order.row(last), order);
  const items = rows.slice(begin, begin + limit).map(({ object }) => object);
  const left = rows.length - begin - items.length;
  return { ...found, items, more: left > 0, left: left > 0 && !isSelective(selector) ? left : undefined };
}
