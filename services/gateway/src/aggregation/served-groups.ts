import type { Catalog, Group, Priority } from "@orch/api/catalog.js";
import { compareVersions } from "@orch/api/versions.js";
import { type ApiService, nameOf } from "./api-service.js";
import type { ApiServices } from "./api-services.js";

/** The groups of this server and those of others, in the order of their priorities. A value that never changes. */
export interface ServedGroups {
  readonly catalog: Catalog;
  /** The core group first. */
  readonly groups: readonly Group[];
  /** They are the catalog's own, in its order. */
  readonly isLocal: boolean;
  /** The APIService of a version that is served elsewhere, or nowhere; undefined of what is served here. */
  foreign(group: string, version: string): ApiService | undefined;
}

/** Gives the groups of this moment: the same value for as long as they are the same. */
export function createServedGroups(services: ApiServices): (catalog: Catalog) => ServedGroups {
  let last: { readonly of: ServedGroups; readonly version: number } | undefined;
  return (catalog) => {
    if (last?.of.catalog === catalog && last.version === services.version) return last.of;
    const next = servedGroups(catalog, services.byName);
    // An APIService of our own says nothing that the catalog does not.
    const same = last?.of.catalog === catalog && last.of.isLocal && next.isLocal;
    last = { of: same && last !== undefined ? last.of : next, version: services.version };
    return last.of;
  };
}

/** What is served here stands for itself, whatever an APIService says; only its priorities count. */
export function servedGroups(catalog: Catalog, services: ReadonlyMap<string, ApiService>): ServedGroups {
  const foreign = new Map<string, ApiService>();
  let isUsual = true;
  for (const service of services.values()) {
    const { group, version, priority } = service;
    if (catalog.kindsOf(group, version).length > 0) isUsual &&= isSame(priority, catalog.priorityOf(group, version));
    else foreign.set(`${group}/${version}`, service);
  }
  const isLocal = foreign.size === 0 && isUsual;
  return {
    catalog,
    isLocal,
    groups: isLocal ? catalog.groups() : ordered(catalog, services, foreign),
    foreign: (group, version) => foreign.get(`${group}/${version}`),
  };
}

const isSame = (a: Priority, b: Priority): boolean => a.group === b.group && a.version === b.version;

interface Entry {
  readonly group: string;
  readonly version: string;
  readonly priority: Priority;
}

function ordered(
  catalog: Catalog,
  services: ReadonlyMap<string, ApiService>,
  foreign: ReadonlyMap<string, ApiService>,
): readonly Group[] {
  const own = catalog.naming.group("apiregistration");
  const entries = catalog.groups().flatMap(({ name: group, versions }) =>
    versions.map((version): Entry => {
      const said = services.get(nameOf(group, version))?.priority ?? catalog.priorityOf(group, version);
      // The group that all others are found by comes first.
      return { group, version, priority: group === own ? { ...said, group: Number.POSITIVE_INFINITY } : said };
    }),
  );
  const byGroup = new Map<string, Entry[]>();
  for (const entry of [...entries, ...foreign.values()]) {
    const some = byGroup.get(entry.group);
    if (some === undefined) byGroup.set(entry.group, [entry]);
    else some.push(entry);
  }
  const rank = (some: readonly Entry[]): number =>
    some[0]?.group === "" ? Number.POSITIVE_INFINITY : Math.max(...some.map(({ priority }) => priority.group));
  const ranked = [...byGroup].map(([name, some]) => ({ name, some, rank: rank(some) }));
  ranked.sort((a, b) => (a.rank === b.rank ? (a.name < b.name ? -1 : 1) : b.rank - a.rank));
  return ranked.map(({ name, some }) => {
    const versions = some.sort(byPriority).map(({ version }) => version);
    return { name, versions, preferredVersion: versions[0] ?? "" };
  });
}

function byPriority(a: Entry, b: Entry): number {
  return b.priority.version - a.priority.version || compareVersions(a.version, b.version);
}
