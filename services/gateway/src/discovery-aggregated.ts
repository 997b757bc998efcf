import type { Catalog, Group, Kind } from "@orch/api/catalog.js";
import type { Subresource } from "@orch/api/data-file.js";
import { printYaml } from "@orch/codec/yaml.js";
import type { Naming } from "@orch/naming/naming.js";
import { responseKindOf, type Served, servedSubresources, verbsOf } from "./discovery.js";
import type { Aggregated } from "./discovery-accept.js";
import { etagOf, namesTag } from "./etag.js";
import type { Exchange, HeaderList } from "./exchange.js";

export interface AggregatedDeps {
  readonly catalog: Catalog;
  readonly naming: Naming;
  readonly served: Served;
}

/** Answers `/api` and `/apis` with every group, version and resource in one document. */
export interface AggregatedDiscovery {
  send(exchange: Exchange, path: "/api" | "/apis", form: Aggregated): void;
}

interface Prepared {
  readonly body: string;
  /** The hash of the body in quotes. */
  readonly etag: string;
}

/** What is served does not change while the process runs: each document is made once. */
export function createAggregatedDiscovery(deps: AggregatedDeps): AggregatedDiscovery {
  const prepared = new Map<string, Prepared>();
  const bodyOf = (path: "/api" | "/apis", { version, encoding }: Aggregated): Prepared => {
    const key = `${path} ${version} ${encoding}`;
    const known = prepared.get(key) ?? prepare(aggregatedDocument(deps, { path, version }), encoding);
    prepared.set(key, known);
    return known;
  };
  return {
    send(exchange, path, form) {
      const { body, etag } = bodyOf(path, form);
      const headers: HeaderList = ["ETag", etag, "Vary", "Accept"];
      if (namesTag(exchange.header("if-none-match"), etag)) {
        exchange.begin(304, headers);
        exchange.end();
      } else exchange.send(200, ["Content-Type", form.contentType, ...headers], body);
    },
  };
}

function prepare(document: unknown, encoding: Aggregated["encoding"]): Prepared {
  const body = encoding === "yaml" ? printYaml(document) : `${JSON.stringify(document)}\n`;
  return { body, etag: etagOf(body) };
}

/** An APIGroupDiscoveryList: below `/api` the group without a name, below `/apis` all others. */
export function aggregatedDocument(
  { catalog, naming, served }: AggregatedDeps,
  { path, version }: { readonly path: "/api" | "/apis"; readonly version: Aggregated["version"] },
): unknown {
  const groups = catalog.groups().filter((group) => (group.name === "") === (path === "/api"));
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `${naming.group("apidiscovery")}/${version}`,
    metadata: {},
    items: groups.map((group) => describeGroup(catalog, group, served)),
  };
}

function describeGroup(catalog: Catalog, { name, versions }: Group, served: Served): unknown {
  return {
    metadata: { ...(name === "" ? {} : { name }), creationTimestamp: null },
    versions: versions.map((version) => ({
      version,
      resources: catalog.kindsOf(name, version).map((kind) => describeKind(kind, served)),
      freshness: "Current",
    })),
  };
}

function describeKind(kind: Kind, served: Served): unknown {
  const subresources = servedSubresources(kind, served);
  return {
    resource: kind.plural,
    responseKind: { group: kind.group, version: kind.version, kind: kind.kind },
    scope: kind.namespaced ? "Namespaced" : "Cluster",
    singularResource: kind.singular,
    verbs: verbsOf(kind.verbs, served),
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(subresources.length === 0
      ? {}
      : { subresources: subresources.map((s) => describeSubresource(kind, s, served)) }),
  };
}

function describeSubresource(kind: Kind, subresource: Subresource, served: Served): unknown {
  return {
    subresource: subresource.name,
    responseKind: responseKindOf(kind, subresource),
    verbs: verbsOf(subresource.verbs, served),
  };
}
