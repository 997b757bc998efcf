import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { Naming } from "@orch/naming/naming.js";
import { field, type MessageType, message } from "@orch/schema/descriptor.js";
import type { MetaRules } from "@orch/schema/object-meta.js";
import { readJson } from "@orch/status/read-json.js";
import type { Behavior } from "./behavior.js";
import type { Conversion } from "./conversion.js";
import { type Move, moveFields, reversed } from "./conversion-moves.js";
import type { DefinitionText } from "./custom/definition-text.js";
import type { KindRules } from "./custom/kind-rules.js";
import {
  type DataFile,
  defaultStrategy,
  type FieldSelectors,
  type KindEntry,
  type Lifecycle,
  readDataFile,
  type Strategy,
  type Subresource,
  type Verb,
} from "./data-file.js";
import { behaviors } from "./kinds/behaviors.js";
import { conversions } from "./kinds/conversions.js";
import type { WebhookClientConfig } from "./kinds/shared/webhook-client.js";
import { type AnyObject, withMetadata } from "./object.js";
import { DataError } from "./reader.js";
import { parseRuntimeConfig, type RuntimeConfig, type ServableResource, servedBy } from "./runtime-config.js";
import { rowConditions } from "./table/row-conditions.js";
import { compileTable, type TableType } from "./table/table-type.js";
import { createTypes, type Types } from "./types.js";
import { compareVersions, exists, isServed } from "./versions.js";

/** A kind in one version, every word in the dialect in force. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  /** The version alone in the core group, else `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly subresources: readonly Subresource[];
  readonly fieldSelectors: FieldSelectors;
  readonly release: Lifecycle;
  /** Of what it is made elsewhere, where it is not built in. */
  readonly definition: (() => DefinitionText) | undefined;
  /** Where a custom resource has what its Scale shows; undefined for built-in kinds, which have it at one place. */
  readonly scale: ScalePaths | undefined;
  /** What who uses a version of a custom resource that is deprecated is told; of built-in kinds `release` says it. */
  readonly deprecation: string | undefined;
  /** Offered to clients: by the catalog's release and the runtime configuration. */
  readonly served: boolean;
  readonly storage: Storage;
  readonly strategy: Strategy;
  readonly metaRules: MetaRules;
  /** As discovery publishes it: the same in every version of a kind. */
  readonly storageVersionHash: string;
  /** Compiled when first asked for. */
  readonly type: MessageType;
  /** The type of a list of such objects. */
  readonly listType: MessageType;
  readonly behavior: Behavior;
  /** Of the hub, whose objects its rows are made of. */
  readonly table: TableType;
  /** The version in which its objects are validated; itself for custom resources, and for what is never stored. */
  readonly hub: Kind;
  /** The version in which its objects are stored: the hub of a built-in kind. */
  readonly stored: Kind;
  /** How stored objects of a custom resource become this version's; undefined for built-in kinds, whose hub says it. */
  readonly custom: CustomStorage | undefined;
  /** What its schema says in expressions; undefined where it says nothing so, and of every built-in kind. */
  readonly rules: KindRules | undefined;
  /** To the hub and back; undefined where only the name of the version differs. */
  readonly conversion: Conversion<AnyObject, AnyObject> | undefined;
}

/** What there is to know of the stored objects of a custom resource. */
export interface CustomStorage {
  /** Objects that were stored until then may have another version, and lack defaults: an older definition made them. */
  readonly since: number;
  /** Who converts objects whose version is another one; undefined where only the name of the version differs. */
  readonly webhook: ConversionWebhook | undefined;
  /** Fields by which objects can be selected, of every version: they are taken out of the state that is stored. */
  readonly selectedBy: readonly string[];
  /** Whether what is stored now is what this version shows, apart from the name of the version. */
  readonly isStoredShape: boolean;
}

/** A webhook that converts objects between the versions of a definition. */
export interface ConversionWebhook {
  readonly client: WebhookClientConfig;
  /** Versions of ConversionReview that it knows, the best first. */
  readonly reviewVersions: readonly string[];
}

/** Names from the root to a value: `["spec", "replicas"]`. */
export interface ScalePaths {
  readonly replicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** Of a label selector as text. */
  readonly selector: readonly string[] | undefined;
}

export interface Storage {
  readonly group: string;
  readonly version: string;
  /** Between the store's root and `[namespace/]name`: `services/specs`. */
  readonly prefix: string;
  readonly ttlSeconds: number | undefined;
}

export interface Group {
  /** `""` is the core group. */
  readonly name: string;
  /** Served versions, the preferred one first. */
  readonly versions: readonly string[];
  readonly preferredVersion: string;
}

/** Where a group-version stands among others, by the numbers of an APIService: higher ones come first. */
export interface Priority {
  /** Of the group: that of its highest version counts. */
  readonly group: number;
  readonly version: number;
}

/** A store key taken apart. */
export interface StoredName {
  /** The kind in its storage version. */
  readonly kind: Kind;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** The kinds of one moment, a value that never changes (see `custom/live-catalog.ts`). */
export interface Catalog {
  /** Grows with every change; 0 with the built-in kinds alone. */
  readonly version: number;
  readonly release: string;
  readonly naming: Naming;
  /** What the runtime configuration asks for in vain, a sentence each. */
  readonly warnings: readonly string[];
  /** Groups with something served, the core group first. */
  groups(): readonly Group[];
  /** Of a group-version that is served here. */
  priorityOf(group: string, version: string): Priority;
  /** Served kinds of a group-version, by plural: the same list in every catalog that has the same of them. */
  kindsOf(group: string, version: string): readonly Kind[];
  /** A served resource. */
  resource(group: string, version: string, plural: string): Kind | undefined;
  /** A resource, served or not: for services behind the gateway, which decides what is served. */
  find(group: string, version: string, plural: string): Kind | undefined;
  /** A kind by its name, served or not: what is stored stays readable. */
  kind(apiVersion: string, kind: string): Kind | undefined;
  /** Each kind once, in its storage version. */
  storedKinds(): readonly Kind[];
  /** Whether a kind's definition is being deleted: its objects can be everything but created. */
  isTerminating(kind: Kind): boolean;
  /** The kind, in its storage version, whose objects are stored below a prefix. */
  storedAt(prefix: string): Kind | undefined;
  /** From a store key without the root: `services/specs/ns/name`. */
  byStorageKey(remainder: string): StoredName | undefined;
  /** A type that is no kind: `meta/v1.DeleteOptions`, `core/v1.PodSpec`. */
  type(name: string): MessageType | undefined;
}

const defaultRelease = "1.32";

/**
 * Reads the data files and checks their kinds; types are compiled on first use. Throws DataError when
 * a file does not say what it must.
 */
export function loadCatalog(naming: Naming, options: CatalogOptions = {}): Catalog {
  return buildCatalog(readDataFiles(), naming, options);
}

export interface CatalogOptions {
  /** `1.16` … `1.32`: what is served, deprecated or removed (rules: Removed API versions by release). */
  readonly release?: string;
  /** Entries of `--runtime-config`. */
  readonly runtimeConfig?: readonly string[];
}

/** An entry of `--runtime-config` that no kind answers to. The message is for whoever wrote it. */
export class RuntimeConfigError extends Error {}

const dataFolder = new URL("../data/", import.meta.url);

/** The types of some data files (`core.v1`) and those that they name among one another: for who needs no kinds. */
export function loadTypes(naming: Naming, files: readonly string[]): Types {
  return createTypes(files.map(readFileNamed), naming);
}

function readDataFiles(): readonly DataFile[] {
  const names = readdirSync(dataFolder).filter((name) => name.endsWith(".json"));
  if (names.length === 0) throw new DataError(dataFolder.pathname, "no data files");
  return names.map((name) => readFileNamed(name.slice(0, -".json".length)));
}

function readFileNamed(name: string): DataFile {
  return readDataFile(name, parsed(new URL(`${name}.json`, dataFolder)));
}

function parsed(file: URL): unknown {
  try {
    return readJson(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new DataError(file.pathname, `is not JSON: ${String(cause)}`);
  }
}

export function buildCatalog(files: readonly DataFile[], naming: Naming, options: CatalogOptions = {}): Catalog {
  const { release = defaultRelease } = options;
  const sources = files.flatMap((file) => file.kinds.map((entry): KindSource => ({ file, entry })));
  const bySource = new Map(sources.map((s) => [sourceKey(s.file.group, s.file.version, s.entry.kind), s]));
  const byKind = new Map<string, Kind>();
  const config = runtimeConfigOf(sources, naming, options);
  const building: Building = {
    types: createTypes(files, naming),
    naming,
    release,
    isEnabled: servedBy(config),
    hubOf: ({ file, entry }) =>
      bySource.get(sourceKey(entry.storage.group ?? file.group, entry.storage.version, entry.kind)),
    kind: (apiVersion, kind) => byKind.get(`${apiVersion}/${kind}`),
  };
  const kinds = sources.map((source) => kindOf(source, building));
  const byResource = new Map<string, Kind>();
  for (const kind of kinds) {
    const key = `${kind.apiVersion}/${kind.plural}`;
    if (byResource.has(key)) throw new DataError(key, "described twice");
    byResource.set(key, kind);
    byKind.set(`${kind.apiVersion}/${kind.kind}`, kind);
  }
  const stored = kinds.filter((k) => k.stored === k && isStored(k));
  const byPrefix = indexPrefixes(stored);
  const served = kinds.filter((k) => k.served);
  const fileOf = new Map(files.map((f) => [apiVersionOf(naming.word(f.group), f.version), f]));
  const groups = groupsOf(served, fileOf);
  const find = (group: string, version: string, plural: string): Kind | undefined =>
    byResource.get(`${apiVersionOf(group, version)}/${plural}`);
  const storedAt = (prefix: string): Kind | undefined => byPrefix.get(prefix);
  const byVersion = kindsByVersion(served);
  return {
    version: 0,
    release,
    naming,
    warnings: config.warnings,
    groups: () => groups,
    priorityOf(group, version) {
      const file = fileOf.get(apiVersionOf(group, version));
      return file === undefined ? customPriority : { group: file.priority, version: file.versionPriority };
    },
    kindsOf: (group, version) => byVersion.get(apiVersionOf(group, version)) ?? [],
    resource: (group, version, plural) => {
      const kind = find(group, version, plural);
      return kind?.served === true ? kind : undefined;
    },
    find,
    kind: building.kind,
    storedKinds: () => stored,
    isTerminating: () => false,
    storedAt,
    byStorageKey: (remainder) => takeApart(storedAt, remainder),
    type: (name) => building.types.message(name),
  };
}

/** Of what is not built in: behind everything that is. */
const customPriority: Priority = { group: 1000, version: 100 };

/** By apiVersion, each by plural. */
export function kindsByVersion(kinds: Iterable<Kind>): ReadonlyMap<string, readonly Kind[]> {
  const byVersion = new Map<string, Kind[]>();
  for (const kind of kinds) {
    const some = byVersion.get(kind.apiVersion);
    if (some === undefined) byVersion.set(kind.apiVersion, [kind]);
    else some.push(kind);
  }
  for (const some of byVersion.values()) some.sort((a, b) => (a.plural < b.plural ? -1 : 1));
  return byVersion;
}

function runtimeConfigOf(sources: readonly KindSource[], naming: Naming, options: CatalogOptions): RuntimeConfig {
  const { runtimeConfig = [], release = defaultRelease } = options;
  const kinds = sources.map(({ file, entry }) => ({
    group: naming.word(file.group),
    version: file.version,
    plural: entry.plural,
    release: entry.release,
  }));
  const parsed = parseRuntimeConfig(runtimeConfig, { kinds, release });
  if (!parsed.ok) throw new RuntimeConfigError(parsed.problem);
  return parsed.config;
}

function sourceKey(group: string, version: string, kind: string): string {
  return `${group}/${version}/${kind}`;
}

export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Its objects are stored; those of other kinds only ask or tell. */
export function isStored(kind: Kind): boolean {
  return kind.verbs.includes("get");
}

interface KindSource {
  readonly file: DataFile;
  readonly entry: KindEntry;
}

interface Building {
  readonly types: Types;
  readonly naming: Naming;
  readonly release: string;
  readonly isEnabled: (resource: ServableResource, byDefault: boolean) => boolean;
  readonly hubOf: (source: KindSource) => KindSource | undefined;
  readonly kind: (apiVersion: string, kind: string) => Kind | undefined;
}

function kindOf(source: KindSource, building: Building): Kind {
  const { file, entry } = source;
  const { naming } = building;
  const hubSource = building.hubOf(source);
  if (hubSource === undefined)
    throw new DataError(`${file.name} kind ${entry.kind}`, "its storage version is not described");
  const group = naming.word(file.group);
  const storage = storageOf(hubSource, naming);
  const strategy: Strategy = { ...defaultStrategy, ...hubSource.entry.strategy, ...entry.strategy };
  const words = wordsOf(entry, naming);
  const compiled = compiledParts(source, building);
  let hash: string | undefined;
  const kind: Kind = {
    group,
    version: file.version,
    apiVersion: apiVersionOf(group, file.version),
    kind: entry.kind,
    listKind: `${entry.kind}List`,
    plural: entry.plural,
    singular: entry.singular,
    shortNames: entry.shortNames,
    categories: entry.categories,
    namespaced: entry.namespaced,
    verbs: strategy.noDeleteCollection ? entry.verbs.filter((v) => v !== "deletecollection") : entry.verbs,
    ...words,
    fieldSelectors: entry.fieldSelectors,
    definition: undefined,
    rules: undefined,
    scale: undefined,
    deprecation: undefined,
    served: isOffered({ group, version: file.version, plural: entry.plural }, entry, building),
    storage,
    strategy,
    metaRules: {
      namespaced: entry.namespaced,
      nameFormat: strategy.name,
      standardFinalizers: anyFinalizer.has(file.group.split(".")[0] ?? "") ? undefined : [naming.namespaceFinalizer],
    },
    get storageVersionHash() {
      hash ??= storageVersionHash(`${storage.group}/${storage.version}/${entry.kind}`);
      return hash;
    },
    get type() {
      return compiled.type();
    },
    get listType() {
      return compiled.listType();
    },
    get behavior() {
      return compiled.behavior();
    },
    get table() {
      return kind.hub === kind ? compiled.table() : kind.hub.table;
    },
    get hub() {
      return hubSource === source
        ? kind
        : (building.kind(apiVersionOf(storage.group, storage.version), entry.kind) ?? kind);
    },
    get stored() {
      return kind.hub;
    },
    custom: undefined,
    get conversion() {
      return compiled.conversion();
    },
  };
  return kind;
}

/** Groups of the reference's extension servers, which take any qualified name for a finalizer. */
const anyFinalizer: ReadonlySet<string> = new Set(["apiextensions", "apiregistration", "admissionregistration"]);

function isOffered(resource: ServableResource, entry: KindEntry, { release, isEnabled }: Building): boolean {
  if (entry.verbs.length === 0 || !exists(entry.release, release)) return false;
  return isEnabled(resource, isServed(resource.version, entry.release, release));
}

function storageOf({ file, entry }: KindSource, naming: Naming): Storage {
  return {
    group: naming.word(file.group),
    version: file.version,
    prefix: naming.word(entry.storage.prefix ?? entry.plural),
    ttlSeconds: entry.storage.ttlSeconds,
  };
}

/** What an entry says in words of the `orch` dialect. */
function wordsOf(entry: KindEntry, naming: Naming): Pick<Kind, "release" | "subresources"> {
  const { replacement } = entry.release;
  return {
    release: { ...entry.release, replacement: replacement === undefined ? undefined : naming.word(replacement) },
    subresources: entry.subresources.map((s) => ({
      ...s,
      apiVersion: s.apiVersion === undefined ? undefined : naming.word(s.apiVersion),
    })),
  };
}

/** What is made when it is first asked for, and kept. */
function compiledParts({ file, entry }: KindSource, { types, naming, release }: Building) {
  const typeName = `${file.name.replace(/\.(?=v\d)/, "/")}.${entry.kind}`;
  if (!file.types.has(entry.kind)) throw new DataError(`${file.name} kind ${entry.kind}`, "no type of this name");
  const type = once(() => {
    const found = types.message(typeName);
    if (found === undefined) throw new DataError(typeName, "is not a message");
    return found;
  });
  return {
    type,
    listType: once(() => listTypeOf(type(), listMetaOf(types))),
    behavior: once(() => behaviors.get(typeName)?.(naming, release) ?? {}),
    table: once(() => compileTable(entry.columns, { naming, conditionsOf: rowConditions.get(typeName) })),
    conversion: once(() => conversions.get(typeName)?.(naming, types) ?? movesOf(entry.moves)),
  };
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function listMetaOf(types: Types): MessageType {
  const metadata = types.message("meta/v1.ListMeta");
  if (metadata === undefined) throw new DataError("meta/v1.ListMeta", "no type of this name");
  return metadata;
}

/** Every list is a message of ListMeta (1) and items (2). */
export function listTypeOf(item: MessageType, metadata: MessageType): MessageType {
  return message({
    name: `${item.name}List`,
    object: true,
    fields: () => [
      field({ name: "metadata", number: 1, type: metadata, omitempty: true }),
      field({
        name: "items",
        number: 2,
        type: { kind: "list", item, listType: "atomic", keys: [], wrapped: false },
        required: true,
      }),
    ],
  });
}

function movesOf(moves: readonly Move[]): Conversion<AnyObject, AnyObject> | undefined {
  if (moves.length === 0) return undefined;
  const back = reversed(moves);
  return {
    toHub: (object) => withMetadata(moveFields(object, moves)),
    fromHub: (object) => withMetadata(moveFields(object, back)),
  };
}

/** Base64 of the first 8 bytes of SHA-256 of `group/version/Kind`. */
export function storageVersionHash(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");
}

function groupsOf(served: readonly Kind[], files: ReadonlyMap<string, DataFile>): readonly Group[] {
  const versions = new Map<string, Set<string>>();
  for (const k of served) versions.set(k.group, (versions.get(k.group) ?? new Set()).add(k.version));
  const groups = [...versions].map(([name, set]) => {
    const order = (v: string) => files.get(apiVersionOf(name, v))?.order ?? 0;
    const sorted = [...set].sort((a, b) => order(a) - order(b) || compareVersions(a, b));
    const [preferredVersion = ""] = sorted;
    const priority = files.get(apiVersionOf(name, preferredVersion))?.priority ?? 0;
    return { name, versions: sorted, preferredVersion, priority };
  });
  return groups
    .sort((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1))
    .map(({ priority: _priority, ...group }) => group);
}

function indexPrefixes(stored: readonly Kind[]): ReadonlyMap<string, Kind> {
  const byPrefix = new Map<string, Kind>();
  for (const kind of stored) {
    const other = byPrefix.get(kind.storage.prefix);
    if (other !== undefined)
      throw new DataError(kind.apiVersion, `${kind.kind} and ${other.kind} have one storage prefix`);
    byPrefix.set(kind.storage.prefix, kind);
  }
  return byPrefix;
}

/** `services/specs/ns/name` and `minions/name`: a prefix has one segment or two. */
export function takeApart(storedAt: (prefix: string) => Kind | undefined, remainder: string): StoredName | undefined {
  const first = remainder.indexOf("/");
  if (first < 0) return undefined;
  let end = first;
  let kind = storedAt(remainder.slice(0, first));
  if (kind === undefined) {
    end = remainder.indexOf("/", first + 1);
    if (end < 0) return undefined;
    kind = storedAt(remainder.slice(0, end));
    if (kind === undefined) return undefined;
  }
  const slash = remainder.indexOf("/", end + 1);
  const namespace = kind.namespaced && slash > 0 ? remainder.slice(end + 1, slash) : "";
  const name = remainder.slice(kind.namespaced && slash > 0 ? slash + 1 : end + 1);
  if (name === "" || name.includes("/") || (kind.namespaced && namespace === "")) return undefined;
  return { kind, namespace, name };
}
