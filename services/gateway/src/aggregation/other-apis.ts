import type { Catalog } from "@orch/api/catalog.js";
import type { OtherDocuments } from "@orch/api/openapi/others.js";
import type { ApiService } from "./api-service.js";
import type { KnownResources } from "./remote-documents.js";
import { type ServedGroups, servedGroups } from "./served-groups.js";

/** What there is beside what the catalog has: the APIServices of others. */
export interface OtherApis {
  /** Those with a server, by `group/version`; nearly always none. */
  readonly remotes: ReadonlyMap<string, ApiService>;
  /** All groups, in order: the same value for as long as they are the same. */
  groupsWith(catalog: Catalog): ServedGroups;
  /** What such a server says of its resources, kept. */
  resources(service: ApiService): KnownResources;
  /** Grows with every change of what `resources` gives. */
  readonly resourcesVersion: number;
  openApi(): OtherDocuments;
  /** Called whenever aggregated discovery is made anew. */
  discovered(): void;
}

/** None. */
export function noOtherApis(): OtherApis {
  const groups = new WeakMap<Catalog, ServedGroups>();
  const none: OtherDocuments = { two: [], three: new Map() };
  return {
    remotes: new Map(),
    groupsWith(catalog) {
      const known = groups.get(catalog) ?? servedGroups(catalog, new Map());
      groups.set(catalog, known);
      return known;
    },
    resources: () => ({ resources: undefined, isStale: true }),
    resourcesVersion: 0,
    openApi: () => none,
    discovered() {},
  };
}
