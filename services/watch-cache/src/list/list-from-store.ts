import { inScope, type Scope } from "@orch/cache/selection.js";
import { ApiError, expired } from "@orch/status/api-error.js";
import { type Key, key, revision } from "@orch/store/revision.js";
import type { Entry, Range, Store } from "@orch/store/store.js";
import { unreadable } from "../mirror/unreadable.js";
import { type CachedObject, readObject } from "../object.js";
import type { Readable } from "../readable.js";
import type { Selector } from "../selector.js";
import type { ListBody } from "./list-body.js";

/** A list or a page of one, as it is to be found. */
export interface Page {
  readonly readable: Readable;
  readonly selector: Selector;
  readonly limit: number | undefined;
  /** The version to show; any that is new enough where absent. */
  readonly revision: number | undefined;
  /** Only items behind this key. */
  readonly after: string | undefined;
  /** How many items there are behind it, where that is known. */
  readonly left: number | undefined;
  /** It is not limited itself, but what is shown of it has pages of so many. */
  readonly pageOf?: number | undefined;
}

export interface Found extends Pick<ListBody, "items"> {
  readonly revision: number;
  /** Whether items are left for another page. */
  readonly more: boolean;
  /** How many; undefined where selectors make it unknown. */
  readonly left: number | undefined;
  /** How many entries the store gave for it; absent where it was not asked. */
  readonly readFromStore?: number;
}

export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "Expired";
}

const storePage = 1000;

/**
 * A list or a page of it, read from the store at its revision, or at the newest.
 * @throws ApiError Expired when the store has forgotten the revision
 */
export async function pageFromStore(store: Store, page: Page): Promise<Found> {
  const { selector, limit = Number.POSITIVE_INFINITY } = page;
  const selects = isSelective(selector);
  const items: CachedObject[] = [];
  let at = page.revision === undefined ? undefined : revision(page.revision);
  let begin = beginOf(page);
  let left = 0;
  let more = false;
  let readFromStore = 0;
  while (begin !== undefined) {
    // Whether another object is selected is seen only when it comes: what is behind the page is read too.
    const want = selects ? storePage : Math.min(storePage, limit - items.length);
    const query = { ...begin, limit: want, ...(at === undefined ? {} : { at }), damaged: "told" as const };
    const range: Range = await store.range(query).catch(tooOld);
    if (range.damaged !== undefined) throw unreadable(range.damaged);
    at ??= range.revision;
    readFromStore += range.entries.length;
    const found = range.entries.flatMap((entry) => matching(page, entry) ?? []);
    more = items.length + found.length > limit;
    items.push(...found.slice(0, limit - items.length));
    left = range.count - range.entries.length;
    const last = range.entries.at(-1);
    const done = more || left <= 0 || last === undefined || (!selects && items.length >= limit);
    begin = done ? undefined : { prefix: query.prefix, from: behind(last.key) };
  }
  if (!selects) more = left > 0;
  const known = page.left === undefined ? left : page.left - items.length;
  const shown = at ?? (await store.revision());
  return { items, more, left: more && !selects ? known : undefined, revision: shown, readFromStore };
}

interface Begin {
  readonly prefix: Key;
  readonly from?: Key;
}

/** Whether a list may leave out what lies between its items: how many are left is then not told. */
export function isSelective({ matches, scope }: Selector): boolean {
  return matches !== undefined || scope.type === "namespaces";
}

/** Undefined where nothing can be behind the last page: its selector asked for more than this one does. */
function beginOf({ readable, selector, after }: Page): Begin | undefined {
  const prefix = key(readable.keyPrefix + scopePrefix(selector.scope));
  const from = after === undefined ? undefined : behind(key(readable.keyPrefix + after));
  if (from === undefined || from <= prefix) return { prefix };
  return from.startsWith(prefix) ? { prefix, from } : undefined;
}

/** The first key that can follow one. */
const behind = (last: Key): Key => key(`${last}\0`);

function matching({ readable, selector }: Page, entry: Entry): CachedObject | undefined {
  const { scope, matches } = selector;
  const object = readObject(entry.key.slice(readable.keyPrefix.length), entry, readable.taken);
  if (!inScope(scope, object.key)) return undefined;
  return matches === undefined || matches(object) ? object : undefined;
}

function scopePrefix(scope: Scope): string {
  if (scope.type === "all" || scope.type === "namespaces") return "";
  return scope.type === "namespace" ? `${scope.namespace}/` : scope.key;
}

function tooOld(error: unknown): never {
  throw isExpired(error) ? expired("The resourceVersion for the provided list is too old.") : error;
}
