import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { Naming } from "@orch/naming/naming.js";
import type { MessageType } from "@orch/schema/descriptor.js";
import type { MetaRules } from "@orch/schema/object-meta.js";
import type { Behavior } from "./behavior.js";
import {
  type Column,
  type DataFile,
  type FieldSelectors,
  type KindEntry,
  type Lifecycle,
  readDataFile,
  type Strategy,
  type Subresource,
  type Verb,
} from "./data-file.js";
import { behaviors } from "./kinds/behaviors.js";
import { DataError } from "./reader.js";
import { createTypes, type Types } from "./types.js";
import { compareVersions, isServed } from "./versions.js";

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
  readonly columns: readonly Column[];
  readonly fieldSelectors: FieldSelectors;
  readonly release: Lifecycle;
  /** Offered to clients at the catalog's release. */
  readonly served: boolean;
  readonly storage: Storage;
  readonly strategy: Strategy;
  readonly metaRules: MetaRules;
  /** As discovery publishes it: the same in every version of a kind. */
  readonly storageVersionHash: string;
  /** Compiled when first asked for. */
  readonly type: MessageType;
  readonly behavior: Behavior;
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

/** A store key taken apart. */
export interface StoredName {
  /** The kind in its storage version. */
  readonly kind: Kind;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

export interface Catalog {
  readonly release: string;
  /** Groups with something served, the core group first. */
  groups(): readonly Group[];
  /** Served kinds of a group-version, by plural. */
  kindsOf(group: string, version: string): readonly Kind[];
  /** A served resource. */
  resource(group: string, version: string, plural: string): Kind | undefined;
  /** A kind by its name, served or not: what is stored stays readable. */
  kind(apiVersion: string, kind: string): Kind | undefined;
  /** Each kind once, in its storage version. */
  storedKinds(): readonly Kind[];
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
export function loadCatalog(naming: Naming, options: { readonly release?: string } = {}): Catalog {
  return buildCatalog(readDataFiles(), naming, options.release ?? defaultRelease);
}

const dataFolder = new URL("../data/", import.meta.url);

function readDataFiles(): readonly DataFile[] {
  const names = readdirSync(dataFolder).filter((name) => name.endsWith(".json"));
  if (names.length === 0) throw new DataError(dataFolder.pathname, "no data files");
  return names.map((name) => readDataFile(name.slice(0, -".json".length), parsed(new URL(name, dataFolder))));
}

function parsed(file: URL): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new DataError(file.pathname, `is not JSON: ${String(cause)}`);
  }
}

export function buildCatalog(files: readonly DataFile[], naming: Naming, release: string): Catalog {
  const types = createTypes(files, naming);
  const kinds = files.flatMap((file) => file.kinds.map((entry) => kindOf({ file, entry, types, naming, release })));
  const byResource = new Map<string, Kind>();
  const byKind = new Map<string, Kind>();
  for (const kind of kinds) {
    const key = `${kind.apiVersion}/${kind.plural}`;
    if (byResource.has(key)) throw new DataError(key, "described twice");
    byResource.set(key, kind);
    byKind.set(`${kind.apiVersion}/${kind.kind}`, kind);
  }
  const stored = kinds.filter((k) => k.storage.version === k.version && k.storage.group === k.group && storable(k));
  const byPrefix = indexPrefixes(stored);
  const served = kinds.filter((k) => k.served);
  const orders = new Map(files.map((f) => [apiVersionOf(naming.word(f.group), f.version), f.order]));
  const groups = groupsOf(served, orders);
  return {
    release,
    groups: () => groups,
    kindsOf: (group, version) =>
      served
        .filter((k) => k.group === group && k.version === version)
        .sort((a, b) => (a.plural < b.plural ? -1 : a.plural > b.plural ? 1 : 0)),
    resource: (group, version, plural) => {
      const kind = byResource.get(`${apiVersionOf(group, version)}/${plural}`);
      return kind?.served === true ? kind : undefined;
    },
    kind: (apiVersion, kind) => byKind.get(`${apiVersion}/${kind}`),
    storedKinds: () => stored,
    byStorageKey: (remainder) => takeApart(byPrefix, remainder),
    type: (name) => types.message(name),
  };
}

export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

function storable(kind: Kind): boolean {
  return kind.verbs.includes("get");
}

interface KindSource {
  readonly file: DataFile;
  readonly entry: KindEntry;
  readonly types: Types;
  readonly naming: Naming;
  readonly release: string;
}

function kindOf({ file, entry, types, naming, release }: KindSource): Kind {
  const group = naming.word(file.group);
  const storage: Storage = {
    group: naming.word(entry.storage.group ?? file.group),
    version: entry.storage.version,
    prefix: naming.word(entry.storage.prefix ?? entry.plural),
    ttlSeconds: entry.storage.ttlSeconds,
  };
  const typeName = `${file.name.replace(/\.(?=v\d)/, "/")}.${entry.kind}`;
  if (!file.types.has(entry.kind)) throw new DataError(`${file.name} kind ${entry.kind}`, `no type of this name`);
  let type: MessageType | undefined;
  let behavior: Behavior | undefined;
  let hash: string | undefined;
  return {
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
    verbs: entry.strategy.noDeleteCollection ? entry.verbs.filter((v) => v !== "deletecollection") : entry.verbs,
    subresources: entry.subresources.map((s) => ({
      ...s,
      apiVersion: s.apiVersion === undefined ? undefined : naming.word(s.apiVersion),
    })),
    columns: entry.columns.map((c) => ({ ...c, source: naming.word(c.source) })),
    fieldSelectors: entry.fieldSelectors,
    release: entry.release,
    served: isServed(file.version, entry.release, release),
    storage,
    strategy: entry.strategy,
    metaRules: {
      namespaced: entry.namespaced,
      nameFormat: entry.strategy.name,
      standardFinalizers: [naming.namespaceFinalizer],
    },
    get storageVersionHash() {
      hash ??= hashOf(`${storage.group}/${storage.version}/${entry.kind}`);
      return hash;
    },
    get type() {
      type ??= types.message(typeName);
      if (type === undefined) throw new DataError(typeName, "is not a message");
      return type;
    },
    get behavior() {
      behavior ??= behaviors.get(typeName)?.(naming) ?? {};
      return behavior;
    },
  };
}

/** Base64 of the first 8 bytes of SHA-256 of `group/version/Kind`. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");
}

function groupsOf(served: readonly Kind[], orders: ReadonlyMap<string, number | undefined>): readonly Group[] {
  const versions = new Map<string, Set<string>>();
  for (const k of served) versions.set(k.group, (versions.get(k.group) ?? new Set()).add(k.version));
  const names = [...versions.keys()].sort((a, b) => (a === b ? 0 : a < b ? -1 : 1));
  return names.map((name) => {
    const order = (v: string) => orders.get(apiVersionOf(name, v)) ?? 0;
    const sorted = [...(versions.get(name) ?? [])].sort((a, b) => order(a) - order(b) || compareVersions(a, b));
    return { name, versions: sorted, preferredVersion: sorted[0] ?? "" };
  });
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
function takeApart(byPrefix: ReadonlyMap<string, Kind>, remainder: string): StoredName | undefined {
  const first = remainder.indexOf("/");
  if (first < 0) return undefined;
  let end = first;
  let kind = byPrefix.get(remainder.slice(0, first));
  if (kind === undefined) {
    end = remainder.indexOf("/", first + 1);
    if (end < 0) return undefined;
    kind = byPrefix.get(remainder.slice(0, end));
    if (kind === undefined) return undefined;
  }
  const slash = remainder.indexOf("/", end + 1);
  const namespace = kind.namespaced && slash > 0 ? remainder.slice(end + 1, slash) : "";
  const name = remainder.slice(kind.namespaced && slash > 0 ? slash + 1 : end + 1);
  if (name === "" || name.includes("/") || (kind.namespaced && namespace === "")) return undefined;
  return { kind, namespace, name };
}
