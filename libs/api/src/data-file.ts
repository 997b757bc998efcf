import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import type { Move } from "./conversion-moves.js";
import { DataError, type Reader, reader } from "./reader.js";
import { type Column, readColumn } from "./table/column.js";

/** A data file of the catalog, its head and kinds checked; types are checked when they are compiled. */
export interface DataFile {
  /** `core.v1`: how other files refer to it, with a slash. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  /** Orders the versions of a group where the usual order is wrong; lower comes first. */
  readonly order: number | undefined;
  /** Orders the groups in discovery: who asks for a resource by its name alone gets that of the highest group. */
  readonly priority: number;
  /** Of this version in its group, as its APIService says it: the highest is preferred. */
  readonly versionPriority: number;
  readonly kinds: readonly KindEntry[];
  readonly types: ReadonlyMap<string, unknown>;
}

/** A kind as its data file has it, every word in the `orch` dialect. README.md explains each. */
export interface KindEntry {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly fieldSelectors: FieldSelectors;
  readonly release: Lifecycle;
  readonly storage: StorageEntry;
  /** What the file says; a version that is not stored takes the rest from the stored one. */
  readonly strategy: Partial<Strategy>;
  readonly subresources: readonly Subresource[];
  /** Of the stored version, from whose objects all tables are made; none: the default table. */
  readonly columns: readonly Column[];
  /** What stands elsewhere in the stored version, as pairs of paths: own, stored. */
  readonly moves: readonly Move[];
  /** Created, never stored or read. */
  readonly virtual: boolean;
}

export const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"] as const;
export type Verb = (typeof verbs)[number];

export interface FieldSelectors {
  /** Beyond metadata.name and metadata.namespace. */
  readonly fields: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
  /** metadata.namespace is not known. */
  readonly strict: boolean;
  /** What is said of another field, with `{}` in its place, where it is not what most kinds say. */
  readonly unsupported?: string | undefined;
}

export interface Lifecycle {
  readonly introduced: string;
  /** Served without being asked for, though it is a beta version of 1.22 or later. */
  readonly byDefault: boolean;
  readonly deprecated: string | undefined;
  readonly removed: string | undefined;
  /** `apps/v1 Deployment`. */
  readonly replacement: string | undefined;
}

export interface StorageEntry {
  /** The version that is stored; the same for every version of a kind. */
  readonly version: string;
  /** Stored by another group's kind of this name: `apps`. */
  readonly group: string | undefined;
  readonly prefix: string | undefined;
  readonly ttlSeconds: number | undefined;
}

export const nameFormats = ["dnsSubdomain", "dnsLabel", "dns1035Label", "pathSegment", "configKey"] as const;
export type NameFormat = (typeof nameFormats)[number];

/** How writes treat the kind (what is data of it; the rest is in `kinds/`). */
export interface Strategy {
  readonly name: NameFormat;
  /** Status is emptied on create and kept from the stored object on update; `update` keeps it on create. */
  readonly statusReset: "both" | "update" | "never";
  readonly initStatus: JsonObject | undefined;
  /** Paths whose change moves metadata.generation; `*` is everything but metadata. None: it never moves. */
  readonly generation: readonly string[];
  /** A PUT may come without resourceVersion. */
  readonly unconditionalUpdate: boolean;
  /** A PUT of a missing name creates it. */
  readonly createOnUpdate: boolean;
  readonly gcDefault: "background" | "orphan" | "unsupported";
  readonly noDeleteCollection: boolean;
  /** An object without a name is given a random UUID for one. */
  readonly namesItself: boolean;
  /** An update is judged as a new object, too: whoever reads the causes of a refusal finds each of the kind's rules twice. */
  readonly judgedTwice: boolean;
}

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  /** Of `kind`, where it differs from the resource's own. */
  readonly apiVersion: string | undefined;
  readonly verbs: readonly string[];
  /** Type of the query parameters. */
  readonly options: string | undefined;
  /** Answers plain text. */
  readonly text: boolean;
  /** A connection upgrade. */
  readonly upgrade: boolean;
  /** Takes any path below it. */
  readonly path: boolean;
  /** Verbs of the server's own: no client is offered them, and a gateway lets none through. */
  readonly internal?: readonly string[];
}

export function readDataFile(name: string, json: unknown): DataFile {
  const file = reader(name, json, ["group", "version", "priority", "versionPriority", "order", "kinds", "types"]);
  return {
    name,
    group: file.text("group"),
    version: file.text("version"),
    order: file.optionalNumber("order"),
    priority: file.optionalNumber("priority") ?? 0,
    versionPriority: file.optionalNumber("versionPriority") ?? 0,
    kinds: file.objects("kinds").map(readKind),
    types: new Map(file.object("types")?.entries() ?? []),
  };
}

const kindKeys = [
  "kind",
  "plural",
  "singular",
  "shortNames",
  "categories",
  "namespaced",
  "verbs",
  "fieldSelectors",
  "release",
  "storage",
  "strategy",
  "subresources",
  "columns",
  "virtual",
  "moves",
];

function readKind(entry: Reader): KindEntry {
  const kind = entry.text("kind");
  const r = reader(`${entry.where} (${kind})`, Object.fromEntries(entry.entries()), kindKeys);
  const plural = r.text("plural");
  return {
    kind,
    plural,
    singular: r.optionalText("singular") ?? kind.toLowerCase(),
    shortNames: r.texts("shortNames"),
    categories: r.texts("categories"),
    namespaced: r.flag("namespaced"),
    verbs: readVerbs(r),
    fieldSelectors: readFieldSelectors(r.object("fieldSelectors")),
    release: readLifecycle(part(r, "release", ["introduced", "byDefault", "deprecated", "removed", "replacement"])),
    storage: readStorage(part(r, "storage", ["version", "group", "prefix", "ttlSeconds"])),
    strategy: readStrategy(r),
    subresources: r.objects("subresources").map(readSubresource),
    columns: r.objects("columns").map(readColumn),
    virtual: r.flag("virtual"),
    moves: readMoves(r),
  };
}

function readMoves(r: Reader): readonly Move[] {
  const moves = r.raw("moves") ?? {};
  if (!isObject(moves)) throw new DataError(`${r.where}.moves`, "expected an object");
  return Object.entries(moves).map(([own, hub]): Move => {
    if (typeof hub === "string") return [own, hub];
    throw new DataError(`${r.where}.moves.${own}`, "expected a path");
  });
}

function part(r: Reader, key: string, keys: readonly string[]): Reader {
  return reader(`${r.where}.${key}`, r.raw(key) ?? {}, keys);
}

function readVerbs(r: Reader): readonly Verb[] {
  if (r.raw("verbs") === "all") return verbs;
  const given = r.texts("verbs");
  const known = verbs.filter((v) => given.includes(v));
  if (known.length !== given.length)
    throw new DataError(`${r.where}.verbs`, `expected "all" or some of ${verbs.join(", ")}`);
  return known;
}

function readFieldSelectors(r: Reader | undefined): FieldSelectors {
  const aliases = r?.object("aliases");
  return {
    fields: r?.texts("fields") ?? [],
    aliases: Object.fromEntries((aliases?.entries() ?? []).map(([from]) => [from, aliases?.text(from) ?? ""])),
    strict: r?.flag("strict") ?? false,
    unsupported: r?.optionalText("unsupported"),
  };
}

function readLifecycle(r: Reader): Lifecycle {
  return {
    introduced: r.text("introduced"),
    byDefault: r.flag("byDefault"),
    deprecated: r.optionalText("deprecated"),
    removed: r.optionalText("removed"),
    replacement: r.optionalText("replacement"),
  };
}

function readStorage(r: Reader): StorageEntry {
  return {
    version: r.text("version"),
    group: r.optionalText("group"),
    prefix: r.optionalText("prefix"),
    ttlSeconds: r.optionalNumber("ttlSeconds"),
  };
}

const strategyKeys = [
  "name",
  "statusReset",
  "initStatus",
  "generation",
  "unconditionalUpdate",
  "createOnUpdate",
  "gcDefault",
  "noDeleteCollection",
  "namesItself",
  "judgedTwice",
];

export const defaultStrategy: Strategy = {
  name: "dnsSubdomain",
  statusReset: "never",
  initStatus: undefined,
  generation: [],
  unconditionalUpdate: false,
  createOnUpdate: false,
  gcDefault: "background",
  noDeleteCollection: false,
  namesItself: false,
  judgedTwice: false,
};

function readStrategy(entry: Reader): Partial<Strategy> {
  const r = part(entry, "strategy", strategyKeys);
  const reset = r.raw("statusReset");
  const name = r.oneOf("name", nameFormats);
  const gcDefault = r.oneOf("gcDefault", ["background", "orphan", "unsupported"]);
  return {
    ...(name === undefined ? {} : { name }),
    ...(reset === undefined
      ? {}
      : { statusReset: reset === "update" ? reset : r.flag("statusReset") ? "both" : "never" }),
    ...(r.has("initStatus") ? { initStatus: Object.fromEntries(r.object("initStatus")?.entries() ?? []) } : {}),
    ...(r.has("generation") ? { generation: r.texts("generation") } : {}),
    ...(r.has("unconditionalUpdate") ? { unconditionalUpdate: r.flag("unconditionalUpdate") } : {}),
    ...(r.has("createOnUpdate") ? { createOnUpdate: r.flag("createOnUpdate") } : {}),
    ...(gcDefault === undefined ? {} : { gcDefault }),
    ...(r.has("judgedTwice") ? { judgedTwice: r.flag("judgedTwice") } : {}),
    ...(r.has("namesItself") ? { namesItself: r.flag("namesItself") } : {}),
    ...(r.has("noDeleteCollection") ? { noDeleteCollection: r.flag("noDeleteCollection") } : {}),
  };
}

function readSubresource(entry: Reader): Subresource {
  const r = reader(entry.where, Object.fromEntries(entry.entries()), [
    "name",
    "kind",
    "apiVersion",
    "verbs",
    "options",
    "text",
    "upgrade",
    "path",
    "internal",
  ]);
  const internal = r.optionalTexts("internal");
  return {
    name: r.text("name"),
    kind: r.text("kind"),
    apiVersion: r.optionalText("apiVersion"),
    verbs: r.texts("verbs"),
    options: r.optionalText("options"),
    text: r.flag("text"),
    upgrade: r.flag("upgrade"),
    path: r.flag("path"),
    ...(internal === undefined ? {} : { internal }),
  };
}
