import type { Scope } from "@orch/cache/selection.js";
import type { ListRequest } from "@orch/rpc/messages.js";
import { ApiError, badRequest, expired } from "@orch/status/api-error.js";
import { type Key, key, type Revision, revision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { type ContinueToken, printToken } from "./continue-token.js";
import type { createFreshness, Source } from "./freshness.js";
import type { ListBody } from "./list-body.js";
import type { Mirror } from "./mirror.js";
import { type CachedObject, cachedObject } from "./object.js";
import { listStart } from "./read-options.js";
import type { Readable } from "./readable.js";
import { type Selector, selectionOf, selectorOf } from "./selector.js";

export interface ListDeps {
  readonly mirror: Mirror;
  readonly store: Store;
  readonly freshness: ReturnType<typeof createFreshness>;
  readonly metaGroup: string;
}

type Found = Required<Pick<ListBody, "items" | "resourceVersion">> & {
  readonly remaining: number | undefined;
  readonly more: boolean;
};

/** A list or one page of it (spec 1: Paged lists; Resource version semantics). */
export async function list(deps: ListDeps, readable: Readable, request: ListRequest): Promise<ListBody> {
  const start = listStart(request, deps.metaGroup);
  const selector = selectorOf(readable, request);
  const page: Page = { readable, selector, limit: request.limit > 0 ? request.limit : undefined };
  const answer =
    start.type === "continue"
      ? await nextPage(deps, page, start.token)
      : await firstPage(deps, page, {
          source: await deps.freshness.source(start),
          exact: start.type === "exact" ? start.revision : undefined,
        });
  const last = answer.items.at(-1);
  return {
    resourceVersion: answer.resourceVersion,
    items: answer.items,
    continueToken:
      answer.more && last !== undefined ? printToken({ revision: answer.resourceVersion, after: last.key }) : "",
    remainingItemCount: answer.more ? answer.remaining : undefined,
  };
}

interface Page {
  readonly readable: Readable;
  readonly selector: Selector;
  readonly limit: number | undefined;
}

interface StoreStart {
  readonly at: Revision | undefined;
  /** First key to read; the scope's first when absent. */
  readonly from: Key | undefined;
}

function firstPage(
  deps: ListDeps,
  page: Page,
  { source, exact }: { readonly source: Source; readonly exact: number | undefined },
): Found | Promise<Found> {
  if (source.from === "store") return pageFromStore(deps, page, { at: source.at, from: undefined });
  // The mirror may have moved on since it stood exactly there.
  if (exact !== undefined && deps.mirror.gate.revision !== exact) {
    return pageFromStore(deps, page, { at: revision(exact), from: undefined });
  }
  const { collection } = deps.mirror.shelf(page.readable.kind.storage.prefix);
  const { scope, matches } = page.selector;
  const { items, more } = collection.select({
    ...selectionOf(page.selector),
    ...(page.limit === undefined ? {} : { limit: page.limit }),
  });
  const counted = more && matches === undefined;
  return {
    items,
    more,
    resourceVersion: deps.mirror.gate.revision,
    remaining: counted ? collection.count(scope) - items.length : undefined,
  };
}

/** Waits for the token's version where it is still to come here: another cache may be ahead. */
async function nextPage(deps: ListDeps, page: Page, token: ContinueToken): Promise<Found> {
  const start = continueAt(page.readable, page.selector.scope, token);
  await deps.freshness.source({ type: "exact", revision: token.revision });
  return pageFromStore(deps, page, start);
}

/** A token is good for the list that it came from and no other. */
function continueAt(readable: Readable, scope: Scope, token: ContinueToken): StoreStart {
  const inNamespace = scope.type !== "namespace" || token.after.startsWith(`${scope.namespace}/`);
  if (!inNamespace || token.after.includes("/") !== readable.kind.namespaced) {
    throw badRequest("invalid continue token: continue key is not valid: it belongs to another list");
  }
  return { at: revision(token.revision), from: key(`${readable.keyPrefix}${token.after}\0`) };
}

const storePage = 1000;

/** One page read from the store at a revision; walks on while the selector leaves the page short. */
async function pageFromStore(deps: ListDeps, page: Page, start: StoreStart): Promise<Found> {
  const { readable, selector } = page;
  const prefix = key(readable.keyPrefix + scopePrefix(selector.scope));
  const items: CachedObject[] = [];
  let { at, from } = start;
  let left = 0;
  let more = false;
  do {
    const want = page.limit === undefined ? storePage : Math.max(1, page.limit - items.length);
    const limit = selector.matches === undefined ? want : storePage;
    const query = { prefix, limit, ...(from === undefined ? {} : { from }), ...(at === undefined ? {} : { at }) };
    const range = await deps.store.range(query).catch(refuseExpired);
    at ??= range.revision;
    let taken = 0;
    for (const entry of range.entries) {
      if (page.limit !== undefined && items.length >= page.limit) break;
      taken += 1;
      const object = cachedObject(entry.key.slice(readable.keyPrefix.length), entry, readable.taken);
      if (selector.scope.type === "key" && object.key !== selector.scope.key) continue;
      if (selector.matches === undefined || selector.matches(object)) items.push(object);
    }
    left = range.count - taken;
    const last = range.entries[taken - 1];
    from = last === undefined ? from : key(`${last.key}\0`);
    more = left > 0;
  } while (more && (page.limit === undefined || items.length < page.limit));
  return { items, more, resourceVersion: at, remaining: selector.matches === undefined ? left : undefined };
}

function scopePrefix(scope: Scope): string {
  if (scope.type === "all") return "";
  return scope.type === "namespace" ? `${scope.namespace}/` : scope.key;
}

function refuseExpired(error: unknown): never {
  if (error instanceof ApiError && error.reason === "Expired") {
    throw expired("The resourceVersion for the provided list is too old.");
  }
  throw error;
}
