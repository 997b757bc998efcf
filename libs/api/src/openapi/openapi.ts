import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Naming } from "@orch/naming/naming.js";
import type { JsonObject, MessageType } from "@orch/schema/descriptor.js";
import { readJson } from "@orch/status/read-json.js";
import { type Catalog, once } from "../catalog.js";
import { DataError } from "../reader.js";
import { homeOf, loadDocs } from "./docs.js";
import type { Context, Offers } from "./operations.js";
import { encode, type Shape } from "./protobuf.js";
import { createSchemas, type Form, type GroupVersionKind, type Schemas } from "./schemas.js";
import { type SectionSource, sectionSources } from "./sections.js";
import { versionTwo } from "./v2.js";
import { documentV2 } from "./v2-messages.js";
import { versionThree } from "./v3.js";
import { documentV3 } from "./v3-messages.js";

/** A document in its two encodings; the second is made when it is first asked for. */
export interface Document {
  /** Of the JSON text: upper-case hexadecimal SHA-512, what `ETag` and `?hash=` carry. */
  readonly hash: string;
  readonly json: Buffer;
  protobuf(): Uint8Array;
}

/** The OpenAPI documents of what is served. Nothing is built before it is asked for, and everything once. */
export interface OpenApi {
  v2(): Promise<Document>;
  /** `/openapi/v3`: where each part of the interface is described. */
  v3Index(): Promise<Document>;
  /** `api/v1`, `apis/apps/v1`, `apis/apps`, `version`; undefined for what is not served. */
  v3(section: string): Document | undefined;
}

export interface OpenApiOptions {
  readonly naming: Naming;
  readonly offers: Offers;
}

export function createOpenApi(catalog: Catalog, { naming, offers }: OpenApiOptions): OpenApi {
  const info = { title: naming.word("orch"), version: `v${catalog.release}` };
  const prepared = once(() => prepare(catalog, naming, offers));
  const sections = once(() => new Map(prepared().sources.map((source) => [source.name, threeOf(source)])));

  const threeOf = (source: SectionSource) =>
    once(() => document(versionThree(source.build(), prepared().schemas("v3"), info), documentV3));

  const two = once(async () => {
    const built = [];
    for (const source of prepared().sources) {
      built.push(source.build());
      await nextTurn();
    }
    return document(versionTwo(built, prepared().schemas("v2"), info), documentV2);
  });

  const index = once(async () => {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const [name, section] of sections()) {
      paths[name] = { serverRelativeURL: sectionUrl(name, section().hash) };
      // Others are served between two documents: all of them together take a while.
      await nextTurn();
    }
    return document({ paths }, undefined);
  });

  return { v2: two, v3Index: index, v3: (section) => sections().get(section)?.() };
}

/** Where a document stands for ever: with its hash. */
export function sectionUrl(section: string, hash: string): string {
  return `/openapi/v3/${section}?hash=${hash}`;
}

interface Prepared {
  readonly sources: readonly SectionSource[];
  readonly schemas: (form: Form) => Schemas;
}

function prepare(catalog: Catalog, naming: Naming, offers: Offers): Prepared {
  const docs = loadDocs(naming);
  const typeNamed = (name: string): MessageType => {
    const type = catalog.type(name);
    if (type === undefined) throw new DataError(name, "no type of this name");
    return type;
  };
  const context: Context = { catalog, naming, docs, offers, typeNamed };
  const kindsOf = createKindsOf(catalog);
  return {
    sources: sectionSources(context),
    schemas: (form) => createSchemas({ form, naming, docs, kindsOf }),
  };
}

/** Meta types that stand in every group-version. */
const everywhere = new Set(["meta/v1.DeleteOptions", "meta/v1.WatchEvent"]);

function createKindsOf(catalog: Catalog): (type: MessageType) => readonly GroupVersionKind[] {
  const versions = catalog
    .groups()
    .flatMap(({ name: group, versions: all }) => all.map((version) => ({ group, version })));
  const groups = groupsByHome(catalog);
  return (type) => {
    const { home, name: kind } = homeOf(type.name);
    if (everywhere.has(type.name)) return versions.map(({ group, version }) => ({ group, kind, version }));
    const version = home.slice(home.indexOf("/") + 1);
    return [{ group: groups.get(home) ?? "", kind, version }];
  };
}

/** The group of each data file: of the kinds in it, and of the subresources of others that it describes. */
function groupsByHome(catalog: Catalog): ReadonlyMap<string, string> {
  const kinds = catalog.groups().flatMap(({ name, versions }) => versions.flatMap((v) => catalog.kindsOf(name, v)));
  const own = kinds.map((kind) => [homeOf(kind.type.name).home, kind.group] as const);
  const others = kinds.flatMap((kind) =>
    kind.subresources.flatMap(({ apiVersion }) => {
      const [group = "", version] = apiVersion?.split("/") ?? [];
      return version === undefined ? [] : [[`${group.split(".")[0]}/${version}`, group] as const];
    }),
  );
  return new Map([...others, ...own]);
}

function document(value: JsonObject, shape: Shape | undefined): Document {
  const json = Buffer.from(`${JSON.stringify(value)}\n`, "utf8");
  return {
    json,
    hash: createHash("sha512").update(json).digest("hex").toUpperCase(),
    protobuf: once(() => {
      if (shape === undefined) throw new TypeError("a document without messages");
      return encode(readJson(json.toString("utf8")), shape);
    }),
  };
}
