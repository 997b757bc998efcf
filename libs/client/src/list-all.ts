import { ApiError } from "@orch/status/api-error.js";
import type { Client, ListOptions } from "./client.js";
import type { ApiObject, Collection, ObjectList } from "./objects.js";

/** Whether history that was asked for is kept no more. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.reason === "Expired" || error.reason === "Gone");
}

type ListAllOptions = Omit<ListOptions, "limit" | "continue"> & { readonly pageSize?: number };

/** A part of a list. */
export interface Page extends Pick<ObjectList, "resourceVersion" | "items"> {
  /** The list begins here: what came before it is void. */
  readonly isFirst: boolean;
}

/**
 * The pages of a collection, each let go of once the next is there (rules: Paged lists). When the token of a page has expired
 * under way, the list is taken anew in one piece.
 */
export async function* listPages(
  client: Pick<Client, "list">,
  collection: Collection,
  options: ListAllOptions = {},
): AsyncGenerator<Page, void, void> {
  const { pageSize = 500, resourceVersion, resourceVersionMatch, ...rest } = options;
  const start = {
    ...rest,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(resourceVersionMatch === undefined ? {} : { resourceVersionMatch }),
  };
  let page = await client.list(collection, pageSize === 0 ? start : { ...start, limit: pageSize });
  yield { resourceVersion: page.resourceVersion, items: page.items, isFirst: true };
  while (page.continue !== "") {
    try {
      page = await client.list(collection, { ...rest, limit: pageSize, continue: page.continue });
    } catch (error) {
      if (!isGone(error)) throw error;
      yield { ...(await client.list(collection, start)), isFirst: true };
      return;
    }
    yield { resourceVersion: page.resourceVersion, items: page.items, isFirst: false };
  }
}

/** A whole collection, of its pages ({@link listPages}). */
export async function listAll(
  client: Pick<Client, "list">,
  collection: Collection,
  options: ListAllOptions = {},
): Promise<ObjectList> {
  let items: ApiObject[] = [];
  let version = "";
  for await (const page of listPages(client, collection, options)) {
    if (page.isFirst) items = [];
    for (const item of page.items) items.push(item);
    version = page.resourceVersion;
  }
  return { resourceVersion: version, continue: "", items };
}
