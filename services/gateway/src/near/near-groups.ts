import type { Catalog, Kind } from "@orch/api/catalog.js";

/** What a near cache keeps, by where it is stored. */
export interface NearGroups {
  /** Of a kind's `storage.prefix`. */
  keeps(storagePrefix: string): boolean;
  /** Beginnings of keys behind the store's prefix, of which none begins another; empty where all is kept. */
  readonly prefixes: readonly string[];
}

/**
 * By API groups: "" is the core group, `*` all. What is stored once and served by several groups, as events are, is kept
 * for each of them. Definitions always are: without them nothing custom can be understood.
 */
export function nearGroups(groups: readonly string[], builtIn: Catalog): NearGroups {
  if (groups.includes("*")) return { keeps: () => true, prefixes: [] };
  const wanted = new Set([...groups, builtIn.naming.group("apiextensions")]);
  const kinds = builtIn
    .groups()
    .filter(({ name }) => wanted.has(name))
    .flatMap(({ name, versions }) => versions.flatMap((version): readonly Kind[] => builtIn.kindsOf(name, version)));
  const stored = new Set(kinds.map(({ storage }) => storage.prefix));
  const custom = groups.filter((group) => group !== "" && !isBuiltIn(group, builtIn));
  return {
    keeps: (prefix) => stored.has(prefix) || custom.some((group) => prefix.startsWith(`${group}/`)),
    prefixes: [...stored, ...custom].map((prefix) => `${prefix}/`),
  };
}

const isBuiltIn = (group: string, builtIn: Catalog): boolean => builtIn.groups().some(({ name }) => name === group);
