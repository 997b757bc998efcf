import {
  apiVersionOf,
  type Catalog,
  type Group,
  isStored,
  type Kind,
  kindsByVersion,
  once,
  takeApart,
} from "../catalog.js";
import { compareVersions } from "../versions.js";
import type { Definition } from "./definition.js";

/** The definitions of one group, and what lookups ask of them. The same value for as long as none of them changes. */
export interface CustomGroup {
  readonly name: string;
  /** By plural. */
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Served versions, the preferred one first. */
  readonly versions: readonly string[];
  /** Served kinds by plural; the same list for as long as the group is the same. */
  kindsOf(version: string): readonly Kind[];
  /** Served or not. */
  kind(apiVersion: string, name: string): Kind | undefined;
}

export function customGroup(name: string, definitions: ReadonlyMap<string, Definition>): CustomGroup {
  const all = [...definitions.values()].flatMap(({ kinds }) => kinds);
  const served = all.filter((kind) => kind.served);
  const byName = once(() => new Map(all.map((kind) => [`${kind.apiVersion}/${kind.kind}`, kind])));
  const byVersion = kindsByVersion(served);
  return {
    name,
    definitions,
    versions: [...new Set(served.map(({ version }) => version))].sort(compareVersions),
    kindsOf: (version) => byVersion.get(apiVersionOf(name, version)) ?? none,
    kind: (apiVersion, kind) => byName().get(`${apiVersion}/${kind}`),
  };
}

const none: readonly Kind[] = [];

/** A catalog of the built-in kinds and those of definitions, as one value. */
export function withDefinitions(
  builtIn: Catalog,
  { version, groups }: { readonly version: number; readonly groups: ReadonlyMap<string, CustomGroup> },
): Catalog {
  const allGroups = once(() => mergedGroups(builtIn.groups(), groups));
  const stored = once(() => [...builtIn.storedKinds(), ...[...groups.values()].flatMap(hubsOf)]);
  const kindsOf = createKindsOf(builtIn, groups);

  const find = (group: string, kindVersion: string, plural: string): Kind | undefined =>
    builtIn.find(group, kindVersion, plural) ??
    groups
      .get(group)
      ?.definitions.get(plural)
      ?.kinds.find((kind) => kind.version === kindVersion);

  const storedAt = (prefix: string): Kind | undefined => {
    const known = builtIn.storedAt(prefix);
    if (known !== undefined) return known;
    const slash = prefix.indexOf("/");
    const definition =
      slash < 0 ? undefined : groups.get(prefix.slice(0, slash))?.definitions.get(prefix.slice(slash + 1));
    return definition?.kinds.find((kind) => kind.stored === kind);
  };

  return {
    ...builtIn,
    version,
    groups: allGroups,
    kindsOf,
    resource(group, kindVersion, plural) {
      const kind = find(group, kindVersion, plural);
      return kind?.served === true ? kind : undefined;
    },
    find,
    kind(apiVersion, name) {
      const known = builtIn.kind(apiVersion, name);
      if (known !== undefined) return known;
      return groups.get(apiVersion.slice(0, Math.max(apiVersion.indexOf("/"), 0)))?.kind(apiVersion, name);
    },
    storedKinds: stored,
    isTerminating: ({ group, plural }) => groups.get(group)?.definitions.get(plural)?.isTerminating ?? false,
    storedAt,
    byStorageKey: (remainder) => takeApart(storedAt, remainder),
  };
}

function hubsOf({ definitions }: CustomGroup): readonly Kind[] {
  return [...definitions.values()].flatMap(({ kinds }) =>
    kinds.filter((kind) => kind.stored === kind && isStored(kind)),
  );
}

/** Groups of definitions come behind the built-in ones: who asks for a name alone means the server's own. */
function mergedGroups(builtIn: readonly Group[], custom: ReadonlyMap<string, CustomGroup>): readonly Group[] {
  const merged = builtIn.map((group): Group => {
    const more = custom.get(group.name)?.versions.filter((version) => !group.versions.includes(version)) ?? [];
    return more.length === 0 ? group : { ...group, versions: [...group.versions, ...more] };
  });
  const known = new Set(builtIn.map(({ name }) => name));
  const added = [...custom.values()].flatMap(({ name, versions }): Group[] => {
    const [preferredVersion] = versions;
    return known.has(name) || preferredVersion === undefined ? [] : [{ name, versions, preferredVersion }];
  });
  return [...merged, ...added.sort((a, b) => (a.name < b.name ? -1 : 1))];
}

/** A list that is made of both is the same for as long as the catalog is; the others live longer. */
function createKindsOf(builtIn: Catalog, groups: ReadonlyMap<string, CustomGroup>): Catalog["kindsOf"] {
  const both = new Map<string, readonly Kind[]>();
  return (group, version) => {
    const own = builtIn.kindsOf(group, version);
    const custom = groups.get(group)?.kindsOf(version) ?? [];
    if (custom.length === 0) return own;
    if (own.length === 0) return custom;
    const key = `${group}/${version}`;
    const known = both.get(key) ?? [...own, ...custom].sort((a, b) => (a.plural < b.plural ? -1 : 1));
    both.set(key, known);
    return known;
  };
}
