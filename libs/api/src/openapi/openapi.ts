import { setImmediate as nextTurn } from "node:timers/promises";
import type { Naming } from "@orch/naming/naming.js";
import type { MessageType } from "@orch/schema/descriptor.js";
import { type Catalog, once } from "../catalog.js";
import type { CatalogHolder } from "../custom/live-catalog.js";
import { DataError } from "../reader.js";
import { homeOf, loadDocs } from "./docs.js";
import { type Document, document } from "./document.js";
import { historyTypes } from "./history-types.js";
import type { Context, Offers, Section } from "./operations.js";
import { type OtherDocuments, withOthers } from "./others.js";
import { createSchemas, type Form, type GroupVersionKind, type Schemas } from "./schemas.js";
import { type SectionSource, sectionSources } from "./sections.js";
import { versionTwo } from "./v2.js";
import { documentV2 } from "./v2-messages.js";
import { versionThree } from "./v3.js";
import { documentV3 } from "./v3-messages.js";

/**
 * The OpenAPI documents of what is served. Nothing is built before it is asked for, and each part once for as long as it
 * stays the same.
 */
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
  /** What servers of others say, at this moment; the same value for as long as it is the same. */
  readonly others?: () => OtherDocuments;
}

export type { Document };

const noOthers: OtherDocuments = { two: [], three: new Map() };

export function createOpenApi(
  catalog: CatalogHolder,
  { naming, offers, others = () => noOthers }: OpenApiOptions,
): OpenApi {
  const info = { title: naming.word("orch"), version: `v${catalog.builtIn.release}` };
  const prepared = once(() => prepare(catalog.builtIn, naming, offers));
  const built = new WeakMap<object, Section>();
  const documents = new WeakMap<object, Document>();

  const buildOf = (source: SectionSource): Section => {
    const section = built.get(source.of) ?? source.build();
    built.set(source.of, section);
    return section;
  };
  const threeOf = (source: SectionSource, now: Catalog): Document => {
    const known =
      documents.get(source.of) ??
      document(versionThree(buildOf(source), prepared().schemas("v3", now), info), documentV3);
    documents.set(source.of, known);
    return known;
  };
  const sourcesOf = (now: Catalog): readonly SectionSource[] => sectionSources({ ...prepared().context, catalog: now });

  const two = async (now: Catalog, of: OtherDocuments): Promise<Document> => {
    const sections = [];
    for (const source of sourcesOf(now)) {
      sections.push(buildOf(source));
      await nextTurn();
    }
    return document(withOthers(versionTwo(sections, prepared().schemas("v2", now), info), of.two), documentV2);
  };

  const index = async (now: Catalog, of: OtherDocuments): Promise<Document> => {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const source of sourcesOf(now)) {
      paths[source.name] = { serverRelativeURL: sectionUrl(source.name, threeOf(source, now).hash) };
      // Others are served between two documents: all of them together take a while.
      await nextTurn();
    }
    for (const [name, { hash }] of of.three) paths[name] ??= { serverRelativeURL: sectionUrl(name, hash) };
    return document({ paths }, undefined);
  };

  const byCatalog = new WeakMap<Catalog, Whole>();
  const whole = (): Whole => {
    const { now } = catalog;
    const of = others();
    const before = byCatalog.get(now);
    if (before?.of === of) return before;
    const known = {
      ...{ now, of },
      two: once(() => two(now, of)),
      index: once(() => index(now, of)),
      sources: once(() => new Map(sourcesOf(now).map((source) => [source.name, source]))),
    };
    byCatalog.set(now, known);
    return known;
  };
  return {
    v2: () => whole().two(),
    v3Index: () => whole().index(),
    v3(section) {
      const { now, of, sources } = whole();
      const source = sources().get(section);
      return source === undefined ? of.three.get(section) : threeOf(source, now);
    },
  };
}

/** What is made of a whole catalog. */
interface Whole {
  readonly now: Catalog;
  readonly of: OtherDocuments;
  readonly two: () => Promise<Document>;
  readonly index: () => Promise<Document>;
  readonly sources: () => ReadonlyMap<string, SectionSource>;
}

/** Where a document stands for ever: with its hash. */
export function sectionUrl(section: string, hash: string): string {
  return `/openapi/v3/${section}?hash=${hash}`;
}

interface Prepared {
  readonly context: Context;
  readonly schemas: (form: Form, now: Catalog) => Schemas;
}

function prepare(catalog: Catalog, naming: Naming, offers: Offers): Prepared {
  const docs = loadDocs(naming);
  const typeNamed = (name: string): MessageType => {
    const type = catalog.type(name);
    if (type === undefined) throw new DataError(name, "no type of this name");
    return type;
  };
  const history = offers.hasHistory === undefined ? undefined : historyTypes(typeNamed);
  const context: Context = { catalog, naming, docs, offers, typeNamed, history };
  const kindsOf = createKindsOf(catalog);
  return {
    context,
    schemas: (form, now) => createSchemas({ form, naming, docs, kindsOf, selectableOf: selectableIn(now) }),
  };
}

/** A list is called after what is in it. */
function selectableIn(catalog: Catalog): (type: MessageType) => readonly string[] | undefined {
  const list = "List";
  return ({ name: typeName }) => {
    const { home, name } = homeOf(typeName);
    const kind = catalog.kind(home, name.endsWith(list) ? name.slice(0, -list.length) : name);
    return kind?.definition === undefined ? undefined : kind.fieldSelectors.fields;
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
    return [{ group: groups.get(home) ?? customGroupOf(home), kind, version }];
  };
}

/** A custom kind's type is named after its group: `example.com/v1`. */
function customGroupOf(home: string): string {
  return home.includes(".") ? home.slice(0, home.indexOf("/")) : "";
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
