import type { Catalog, Group, Kind } from "@orch/api/catalog.js";
import type { CatalogHolder } from "@orch/api/custom/live-catalog.js";
import type { Subresource } from "@orch/api/data-file.js";
import { subresourceKind } from "@orch/api/subresource-kind.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Exchange, HeaderList } from "../http/exchange.js";
import { acceptsGzip, createKeptGzip, documentGzipFrom } from "../http/gzip.js";
import type { Representation } from "../representation.js";
import { printed } from "../respond.js";
import { type Served, servedSubresources, withPaths } from "./discovery.js";
import { etagOf, namesTag } from "./etag.js";

export interface AggregatedDeps {
  readonly catalog: CatalogHolder;
  readonly naming: Naming;
  readonly served: Served;
  /** Whether answers are compressed for who takes that (gate APIResponseCompression). */
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

/** Each document is made once for a catalog, of parts that are made once for as long as they stay the same. */
export function createAggregatedDiscovery(deps: AggregatedDeps): AggregatedDiscovery {
  const documents = new WeakMap<Catalog, Map<string, Prepared>>();
  const resources: KnownResources = new WeakMap();
  const kept = createKeptGzip();
  return {
    send(exchange, representation, { path, version }) {
      const key = `${path} ${version} ${representation.encoding} ${representation.pretty}`;
      const catalog = deps.catalog.now;
      const prepared = documents.get(catalog) ?? new Map<string, Prepared>();
      documents.set(catalog, prepared);
      const { body, etag } =
        prepared.get(key) ?? prepare({ ...deps, catalog, resources }, representation, { path, version });
      prepared.set(key, { body, etag });
      const headers: HeaderList = ["ETag", etag, "Vary", "Accept, Accept-Encoding"];
      if (namesTag(exchange.header("if-none-match"), etag)) {
        exchange.begin(304, headers);
        exchange.end();
        return;
      }
      const parameters = `g=${deps.naming.group("apidiscovery")};v=${version};as=${listKind}`;
      const all = ["Content-Type", `${representation.contentType};${parameters}`, ...headers];
      const zips = deps.gzip && body.length >= documentGzipFrom && acceptsGzip(exchange.header("accept-encoding"));
      if (!zips) return exchange.send(200, all, body);
      const sendSmall = (small: Buffer): void => exchange.send(200, [...all, "Content-Encoding", "gzip"], small);
      const small = kept.of(`${key} ${etag}`, () => body);
      return small instanceof Promise ? small.then(sendSmall) : sendSmall(small);
    },
  };
}

const listKind = "APIGroupDiscoveryList";

/** What is said of a group-version's kinds, by their list. */
type KnownResources = WeakMap<readonly Kind[], readonly unknown[]>;

interface Described {
  readonly catalog: Catalog;
  readonly naming: Naming;
  readonly served: Served;
  readonly resources?: KnownResources;
}

function prepare(deps: Described, representation: Representation, asked: { path: Root; version: string }): Prepared {
  const type = (kind: string) => deps.catalog.type(`apidiscovery/${asked.version}.${kind}`);
  const { body: printedBody } = printed(representation, aggregatedDocument(deps, asked), type);
  const body = Buffer.from(printedBody);
  return { body, etag: etagOf(body) };
}

/** An APIGroupDiscoveryList: below `/api` the group without a name, below `/apis` all others. */
export function aggregatedDocument(
  { catalog, naming, served, resources = new WeakMap() }: Described,
  { path, version }: { readonly path: Root; readonly version: string },
): object {
  const groups = catalog.groups().filter((group) => (group.name === "") === (path === "/api"));
  return {
    kind: listKind,
    apiVersion: `${naming.group("apidiscovery")}/${version}`,
    metadata: {},
    items: groups.map((group) => describeGroup({ catalog, served, resources }, group)),
  };
}

interface Describing {
  readonly catalog: Catalog;
  readonly served: Served;
  readonly resources: KnownResources;
}

function describeGroup({ catalog, served, resources: known }: Describing, { name, versions }: Group): unknown {
  return {
    metadata: { ...(name === "" ? {} : { name }), creationTimestamp: null },
    versions: versions.map((version) => {
      const kinds = catalog.kindsOf(name, version);
      const resources = known.get(kinds) ?? withPaths(kinds).map((kind) => describeKind(kind, served));
      known.set(kinds, resources);
      return { version, ...(resources.length === 0 ? {} : { resources }), freshness: "Current" };
    }),
  };
}

function describeKind(kind: Kind, served: Served): unknown {
  const subresources = servedSubresources(kind, served);
  return {
    resource: kind.plural,
    responseKind: { group: kind.group, version: kind.version, kind: kind.kind },
    scope: kind.namespaced ? "Namespaced" : "Cluster",
    singularResource: kind.singular,
    verbs: [...kind.verbs].sort(),
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(subresources.length === 0 ? {} : { subresources: subresources.map((s) => describeSubresource(kind, s)) }),
  };
}

function describeSubresource(kind: Kind, subresource: Subresource): unknown {
  return {
    subresource: subresource.name,
    responseKind: subresourceKind(kind, subresource),
    verbs: [...subresource.verbs].sort(),
  };
}
