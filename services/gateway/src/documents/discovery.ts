import { type Catalog, type Group, isStored, type Kind } from "@orch/api/catalog.js";
import type { Subresource } from "@orch/api/data-file.js";
import { subresourceKind } from "@orch/api/subresource-kind.js";
import { unknownPath } from "@orch/status/api-error.js";
import type { ServedGroups } from "../aggregation/served-groups.js";
import type { Route } from "../path.js";
import { historySubresources } from "./history-subresources.js";

/** What this build serves; discovery promises nothing else. */
export interface Served {
  readonly subresources: ReadonlySet<string>;
  /** Whether objects of a kind have a history anywhere. */
  readonly hasHistory: (kind: Kind) => boolean;
  /** Each kind is told with a hash of its stored version. */
  readonly storageVersionHash: boolean;
}

type DiscoveryRoute = Extract<Route, { type: "discovery" }>;

/** The discovery documents (rules: Groups and enabling). @throws ApiError NotFound for a group or version not served */
export function discoveryDocument(
  { catalog, groups }: Pick<ServedGroups, "catalog" | "groups">,
  route: DiscoveryRoute,
  options: { served: Served; address: string },
): object {
  const { group, version } = route;
  if (group === undefined) {
    return route.path.startsWith("/apis") ? groupList(groups) : coreVersions(groups, options.address);
  }
  if (version === undefined) return groupDocument(groups, group);
  return resourceList(catalog, { group, version }, options.served);
}

function coreVersions(groups: readonly Group[], address: string): object {
  const core = groups.find((g) => g.name === "");
  return {
    kind: "APIVersions",
    versions: core?.versions ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

function groupList(groups: readonly Group[]): object {
  const named = groups.filter((g) => g.name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: named.map(describeGroup) };
}

function groupDocument(groups: readonly Group[], name: string): object {
  const group = groups.find((g) => g.name === name && name !== "");
  if (group === undefined) throw unknownPath();
  return { kind: "APIGroup", apiVersion: "v1", ...describeGroup(group) };
}

function describeGroup(group: { readonly name: string; readonly versions: readonly string[] }) {
  const versions = group.versions.map((version) => ({ groupVersion: `${group.name}/${version}`, version }));
  return { name: group.name, versions, preferredVersion: versions[0] };
}

function resourceList(catalog: Catalog, at: { group: string; version: string }, served: Served): object {
  if (catalog.kindsOf(at.group, at.version).length === 0) throw unknownPath();
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: at.group === "" ? at.version : `${at.group}/${at.version}`,
    resources: withPaths(catalog.kindsOf(at.group, at.version)).flatMap((kind) => describeKind(kind, served)),
  };
}

/** Those that have a path of their own: of what is never stored, what can be created. */
export function withPaths(kinds: readonly Kind[]): readonly Kind[] {
  return kinds.filter((kind) => isStored(kind) || kind.verbs.length > 0);
}

/** In alphabetical order; those of custom resources in the reference's order of their own. */
export function verbsOf({ verbs, definition }: Kind): readonly string[] {
  return definition === undefined ? [...verbs].sort() : verbs;
}

function describeKind(kind: Kind, served: Served): unknown[] {
  return [
    {
      name: kind.plural,
      singularName: kind.singular,
      namespaced: kind.namespaced,
      kind: kind.kind,
      verbs: verbsOf(kind),
      ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
      ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
      ...(served.storageVersionHash && isStored(kind) ? { storageVersionHash: kind.storageVersionHash } : {}),
    },
    ...servedSubresources(kind, served).map((subresource) => ({
      name: `${kind.plural}/${subresource.name}`,
      singularName: "",
      namespaced: kind.namespaced,
      ...foreignGroup(kind, subresource),
      kind: subresource.kind,
      verbs: [...subresource.verbs].sort(),
    })),
  ];
}

/** Where a subresource's kind is not of the list's own group and version: `autoscaling`, `v1` of a Scale. */
function foreignGroup(kind: Kind, subresource: Subresource): object {
  const { group, version } = subresourceKind(kind, subresource);
  return group === kind.group && version === kind.version ? {} : { group, version };
}

/** By name, as the reference lists them; the status of custom resources comes first there. */
export function servedSubresources(kind: Kind, served: Served): readonly Subresource[] {
  const past = isStored(kind) && served.hasHistory(kind) ? historySubresources : [];
  const own = [...kind.subresources.filter((s) => served.subresources.has(s.name)), ...past];
  return kind.definition === undefined ? own.sort((a, b) => (a.name < b.name ? -1 : 1)) : own;
}

/** In alphabetical order, as the reference lists them. */
