import { ApiError } from "@orch/status/api-error.js";
import type { Client, ListOptions } from "./client.js";
import type { ApiObject, Collection, ObjectList } from "./objects.js";

/** Whether history that was asked for is kept no more. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.reason === "Expired" || error.reason === "Gone");
}

/**
 * A whole collection, page by page (rules: Paged lists). When the token of a page has expired under way, the list
 * is taken anew in one piece.
 */
export async function listAll(
  client: Pick<Client, "list">,
  collection: Collection,
  options: Omit<ListOptions, "limit" | "continue"> & { readonly pageSize?: number } = {},
): Promise<ObjectList> {
  const { pageSize = 500, resourceVersion, resourceVersionMatch, ...rest } = options;
  const start = {
    ...rest,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(resourceVersionMatch === undefined ? {} : { resourceVersionMatch }),
  };
  let page = await client.list(collection, pageSize === 0 ? start : { ...start, limit: pageSize });
  const items: ApiObject[] = [...page.items];
  while (page.continue !== "") {
    try {
      page = await client.list(collection, { ...rest, limit: pageSize, continue: page.continue });
    } catch (error) {
      if (!isGone(error)) throw error;
      return await client.list(collection, start);
    }
    for (const item of page.items) items.push(item);
  }
  return { resourceVersion: page.resourceVersion, continue: "", items };
}
