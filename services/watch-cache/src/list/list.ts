import { type Freshness, listStart } from "@orch/api/list-options.js";
import type { State } from "@orch/cache/selection.js";
import type { ListRequest } from "@orch/rpc/messages.js";
import {
  type ContinueToken,
  forgottenPage,
  listName,
  parseToken,
  printToken,
  type TokenSeal,
} from "@orch/store/continue-token.js";
import type { Store } from "@orch/store/store.js";
import type { TokenKey } from "@orch/store/token-key.js";
import type { CacheTold } from "../cache-metrics.js";
import type { createFreshness } from "../freshness.js";
import type { Mirror } from "../mirror/mirror.js";
import type { CachedObject } from "../object.js";
import type { Readable } from "../readable.js";
import { selectionOf, selectorOf } from "../selector.js";
import { type SortOrder, sortOrder } from "../sort/sort-order.js";
import type { Sorted } from "../sort/sorted.js";
import { sortedPage } from "../sort/sorted-page.js";
import type { ListBody } from "./list-body.js";
import { type Found, isExpired, isSelective, type Page, pageFromStore } from "./list-from-store.js";
import type { RefuseBehind } from "./rights-behind.js";

export interface ListDeps {
  readonly mirror: Mirror;
  readonly store: Store;
  readonly freshness: ReturnType<typeof createFreshness>;
  readonly metaGroup: string;
  readonly tokenKey: TokenKey;
  readonly sorted: Sorted;
  readonly refuseBehind: RefuseBehind;
  /** For metrics. */
  readonly told?: CacheTold | undefined;
}

/** Hears where a list comes from, before it is read from the store. */
export type ListTold = (source: "memory" | "store") => void;

const untold: ListTold = () => {};

const paged = ({ limit, continueToken }: ListRequest): boolean => limit > 0 || continueToken !== "";

/**
 * A list or one page of it (rules: Paged lists; Resource version semantics). From memory where the state that it
 * shows is known there, else from the store: the same bytes.
 */
export async function list(
  deps: ListDeps,
  readable: Readable,
  request: ListRequest,
  told: ListTold = untold,
): Promise<ListBody> {
  const start = listStart(request, deps.metaGroup);
  const selector = selectorOf(readable, request);
  const order = request.sort === undefined ? undefined : sortOrder(readable, request.sort);
  const seal = paged(request) ? await sealOf(deps, readable, { request, order }) : undefined;
  const token = start.type === "continue" && seal !== undefined ? parseToken(request.continueToken, seal) : undefined;
  const freshness = start.type === "continue" ? freshnessOf(token) : start;
  const page: Page = {
    readable,
    selector,
    limit: request.limit > 0 ? request.limit : undefined,
    revision: freshness.type === "exact" ? freshness.revision : undefined,
    after: token?.after,
    left: token?.remaining,
  };
  const waited = freshness.type === "any" ? undefined : deps.told?.waits(readable.kind);
  const source = await deps.freshness.source(freshness);
  waited?.();
  const read = async (wanted: Page): Promise<Found> => {
    const inMemory = source === "cache" ? pageFromMemory(deps, wanted) : undefined;
    told(inMemory === undefined ? "store" : "memory");
    return inMemory ?? (await pageFromStore(deps.store, wanted));
  };
  const found = await (order === undefined ? read(page) : sortedFrom(deps, { page, order, read })).catch(
    (error: unknown) => {
      // A sorted list goes on at the position of an object in its own state alone.
      const goesOn = token !== undefined && seal !== undefined && order === undefined && isExpired(error);
      throw goesOn ? forgottenPage(token, seal) : error;
    },
  );
  if (request.permitted !== undefined) deps.refuseBehind(request.permitted, found.revision);
  deps.told?.listed(readable.kind, { returned: found.items.length, readFromStore: found.readFromStore });
  return bodyOf(found, seal);
}

interface SortedRead {
  readonly page: Page;
  readonly order: SortOrder;
  readonly read: (page: Page) => Promise<Found>;
}

/** A page of a list in another order than that of keys: of all objects that the list has. */
async function sortedFrom({ mirror, sorted }: ListDeps, { page, order, read }: SortedRead): Promise<Found> {
  const { limit } = page;
  const found = await read({ ...page, limit: undefined, after: undefined, left: undefined, pageOf: limit });
  const { collection } = mirror.shelf(page.readable.kind.storage.prefix);
  return sortedPage(sorted, { found, page, order, get: (key) => collection.at(found.revision)?.get(key) });
}

/**
 * A token is good for every version of its resource, and for the namespaces and the order that it was made for. Which namespaces one
 * may see is asked anew for each page.
 */
async function sealOf(
  { tokenKey }: ListDeps,
  { kind }: Readable,
  { request, order }: { readonly request: ListRequest; readonly order: SortOrder | undefined },
): Promise<TokenSeal> {
  const permitted = request.permitted === undefined ? "" : "|permitted";
  const sorted = order === undefined ? "" : `|${order.id}`;
  return {
    key: await tokenKey.get(),
    list: `${listName(kind.storage.prefix, request.namespace)}${permitted}${sorted}`,
  };
}

function freshnessOf(token: ContinueToken | undefined): Freshness {
  if (token === undefined || token.revision === 0) return { type: "mostRecent" };
  return { type: "exact", revision: token.revision };
}

function bodyOf({ items, more, left, revision }: Found, seal: TokenSeal | undefined): ListBody {
  const last = items.at(-1);
  const next = more && last !== undefined && seal !== undefined;
  return {
    resourceVersion: revision,
    items,
    continueToken: next ? printToken({ revision, after: last.key, remaining: left }, seal) : "",
    remainingItemCount: next ? left : undefined,
  };
}

/** Undefined where the state is not in memory (any more). */
function pageFromMemory({ mirror }: ListDeps, page: Page): Found | undefined {
  const { collection, unreadable } = mirror.shelf(page.readable.kind.storage.prefix);
  unreadable.refuse(page.selector.scope);
  const newest = mirror.gate.revision;
  const { selector, after, limit, revision = newest } = page;
  // The store may have been set back meanwhile.
  if (revision > newest) return undefined;
  const state = collection.at(revision);
  if (state === undefined) return undefined;
  const { items, more } = state.select({
    ...selectionOf(selector),
    ...(after === undefined ? {} : { after }),
    ...(limit === undefined ? {} : { limit }),
  });
  // A state of before is kept already, for as long as it was to be.
  const goesOn = more || (page.pageOf !== undefined && items.length > page.pageOf);
  if (goesOn && state === collection) collection.keep();
  const left = more && !isSelective(selector) ? leftIn(state, page) - items.length : undefined;
  return { items, more, left, revision };
}

/** How many items a page and those behind it have together. */
function leftIn(state: State<CachedObject>, { selector: { scope }, after, left }: Page): number {
  if (left !== undefined) return left;
  return after === undefined ? state.count(scope) : state.select({ scope, after }).items.length;
}
