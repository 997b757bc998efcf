import type { Answer, Http, Query } from "./http.js";

/** Every page of a list, from the first one on. */
export async function allPages(http: Http, path: string, query: Query): Promise<readonly Answer[]> {
  const pages = [await http.get(path, query)];
  for (;;) {
    const token = pages.at(-1)?.at("metadata.continue");
    if (typeof token !== "string" || token === "") return pages;
    const { resourceVersion: _, resourceVersionMatch: __, ...rest } = query;
    pages.push(await http.get(path, { ...rest, continue: token }));
  }
}
