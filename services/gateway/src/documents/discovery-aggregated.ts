import type { Group, Kind } from "@orch/api/catalog.js";
import type { CatalogHolder } from "@orch/api/custom/live-catalog.js";
import type { Subresource } from "@orch/api/data-file.js";
import { type SubresourceKind, subresourceKind } from "@orch/api/subresource-kind.js";
import type { Naming } from "@orch/naming/naming.js";
import type { OtherApis } from "../aggregation/other-apis.js";
import type { ServedGroups } from "../aggregation/served-groups.js";
import type { Exchange } from "../http/exchange.js";
import { acceptsGzip, createKeptGzip, documentGzipFrom } from "../http/gzip.js";
import type { HeaderList } from "../http/response.js";
import type { Representation } from "../representation.js";
import { printed } from "../respond.js";
import { type Served, servedSubresources, verbsOf, withPaths } from "./discovery.js";
import { etagOf, namesTag } from "./etag.js";

export interface AggregatedDeps {
  readonly catalog: CatalogHolder;
  readonly naming: Naming;
  readonly served: Served;
  readonly apis: OtherApis;
  /** Whether answers are compressed for clients that accept it (gate APIResponseCompression). */
  readonly gzip: boolean;
}

/** Answers `/api` and `/apis` with every group, version and resource in one document. */
export interface AggregatedDiscovery {
  /** `version` is that of the document, `v2` or `v2beta1`. */
  send(
    exchange: Exchange,
    representation: Representation,
    asked: { readonly path: Root; readonly version: string },
  ): void | Promise<void>;
}

type Root = "/api" | "/apis";

interface Prepared {
  readonly body: Buffer;
  readonly etag: string;
}

/** The documents of one state of everything. */
interface Known {
  readonly version: number;
  readonly prepared: Map<string, Prepared>;
}

function knownOf(documents: WeakMap<ServedGroups, Known>, of: ServedGroups, version: number): Known["prepared"] {
  const before = documents.get(of);
  if (before?.version === version) return before.prepared;
  const prepared = new Map<string, Prepared>();
  documents.set(of, { version, prepared });
  return prepared;
}

/** Each document is made once for a catalog, of parts that are made once for as long as they stay the same. */
export function createAggregatedDiscovery(deps: AggregatedDeps): AggregatedDiscovery {
  const documents = new WeakMap<ServedGroups, Known>();
  const resources: KnownResources = new WeakMap();
  const kept = createKeptGzip();
  return {
    send({ request, response }, representation, { path, version }) {
      const key = `${path} ${version} ${representation.encoding} ${representation.pretty}`;
      const groups = deps.apis.groupsWith(deps.catalog.now);
      const prepared = knownOf(documents, groups, deps.apis.resourcesVersion);
      const { body, etag } =
        prepared.get(key) ?? prepare({ ...deps, groups, resources }, representation, { path, version });
      prepared.set(key, { body, etag });
      const headers: HeaderList = ["ETag", etag, "Vary", "Accept, Accept-Encoding"];
      if (namesTag(request.header("if-none-match"), etag)) {
        response.stream(304, headers).end();
        return;
      }
      const parameters = `g=${deps.naming.group("apidiscovery")};v=${version};as=${listKind}`;
      const all = ["Content-Type", `${representation.contentType};${parameters}`, ...headers];
      const zips = deps.gzip && body.length >= documentGzipFrom && acceptsGzip(request.header("accept-encoding"));
      if (!zips) return response.send(200, all, body);
      const sendSmall = (small: Buffer): void => response.send(200, [...all, "Content-Encoding", "gzip"], small);
      const small = kept.of(`${key} ${etag}`, () => body);
      return small instanceof Promise ? small.then(sendSmall) : sendSmall(small);
    },
  };
}

const listKind = "APIGroupDiscoveryList";

/** What is said of a group-version's kinds, by their list. */
type KnownResources = WeakMap<readonly Kind[], readonly unknown[]>;

interface Preparing extends Described {
  readonly apis: OtherApis;
}

interface Described {
  readonly groups: ServedGroups;
  readonly naming: Naming;
  readonly served: Served;
  readonly apis: Pick<OtherApis, "resources">;
  readonly resources?: KnownResources;
}

function prepare(deps: Preparing, representation: Representation, asked: { path: Root; version: string }): Prepared {
  deps.apis.discovered();
  const type = (kind: string) => deps.groups.catalog.type(`apidiscovery/${asked.version}.${kind}`);
  const { body: printedBody } = printed(representation, aggregatedDocument(deps, asked), type);
  const body = Buffer.from(printedBody);
  return { body, etag: etagOf(body) };
}

/** An APIGroupDiscoveryList: below `/api` the group without a name, below `/apis` all others. */
export function aggregatedDocument(
  { groups, naming, served, apis, resources = new WeakMap() }: Described,
  { path, version }: { readonly path: Root; readonly version: string },
): object {
  const own = groups.groups.filter((group) => (group.name === "") === (path === "/api"));
  return {
    kind: listKind,
    apiVersion: `${naming.group("apidiscovery")}/${version}`,
    metadata: {},
    items: own.flatMap((group) => describeGroup({ groups, served, apis, resources }, group)),
  };
}

interface Describing {
  readonly groups: ServedGroups;
  readonly served: Served;
  readonly apis: Pick<OtherApis, "resources">;
  readonly resources: KnownResources;
}

/** None for a group of which nothing is served anywhere. */
function describeGroup(deps: Describing, { name, versions }: Group): readonly object[] {
  const described = versions.flatMap((version) => describeVersion(deps, { group: name, version }));
  if (described.length === 0) return [];
  return [{ metadata: { ...(name === "" ? {} : { name }), creationTimestamp: null }, versions: described }];
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

function describeVersion(deps: Describing, { group, version }: GroupVersion): readonly object[] {
  const { groups, served, apis, resources: known } = deps;
  const service = groups.foreign(group, version);
  if (service !== undefined) {
    if (service.remote === undefined) return [];
    const { resources = [], isStale } = apis.resources(service);
    return [versionOf(version, resources, isStale ? "Stale" : "Current")];
  }
  const kinds = groups.catalog.kindsOf(group, version);
  const resources = known.get(kinds) ?? withPaths(kinds).map((kind) => describeKind(kind, served));
  known.set(kinds, resources);
  return [versionOf(version, resources, "Current")];
}

function versionOf(version: string, resources: readonly unknown[], freshness: "Current" | "Stale"): object {
  return { version, ...(resources.length === 0 ? {} : { resources }), freshness };
}

function describeKind(kind: Kind, served: Served): unknown {
  const subresources = servedSubresources(kind, served);
  return {
    resource: kind.plural,
    responseKind: toldIn(kind, kind),
    scope: kind.namespaced ? "Namespaced" : "Cluster",
    singularResource: kind.singular,
    verbs: verbsOf(kind),
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(subresources.length === 0 ? {} : { subresources: subresources.map((s) => describeSubresource(kind, s)) }),
  };
}

function describeSubresource(kind: Kind, subresource: Subresource): unknown {
  return {
    subresource: subresource.name,
    responseKind: toldIn(kind, subresourceKind(kind, subresource)),
    verbs: [...subresource.verbs].sort(),
  };
}

/** Built-in kinds say nothing of a group and version that are those of the list; custom ones do, as in the reference. */
function toldIn(list: Kind, { group, version, kind }: SubresourceKind): SubresourceKind {
  const isSame = list.definition === undefined && group === list.group && version === list.version;
  return isSame ? { group: "", version: "", kind } : { group, version, kind };
}
