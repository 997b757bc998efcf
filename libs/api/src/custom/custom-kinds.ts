import type { MessageType } from "@orch/schema/descriptor.js";
import { compileSchema } from "@orch/schema/structural/compile.js";
import type { JsonSchema } from "@orch/schema/structural/json-schema.js";
import type { Behavior, Was } from "../behavior.js";
import {
  apiVersionOf,
  type Catalog,
  type Kind,
  listTypeOf,
  once,
  type ScalePaths,
  storageVersionHash,
} from "../catalog.js";
import { defaultStrategy, type Strategy, type Subresource, verbs } from "../data-file.js";
import type { DefinitionNames, DefinitionSpecV1, DefinitionVersionV1 } from "../kinds/apiextensions/types.js";
import type { ApiObject } from "../object.js";
import { compareVersions } from "../versions.js";
import { customTable } from "./columns.js";
import type { DefinitionText } from "./definition-text.js";

/** What the kinds of a definition are made of. */
export interface DefinitionSource {
  readonly spec: DefinitionSpecV1;
  readonly names: DefinitionNames;
}

/**
 * The kinds of a definition, one for each version, in the shape that built-in kinds have. What is compiled is compiled when
 * it is first asked for, and goes with the kind.
 */
export function customKinds({ spec, names }: DefinitionSource, parts: Parts): readonly Kind[] {
  const versions = spec.versions ?? [];
  const hubAt = versions.findIndex(({ storage }) => storage === true);
  const hub = versions[hubAt];
  if (hub === undefined) return [];
  const kinds: Kind[] = [];
  const hubKind = (): Kind | undefined => kinds[hubAt];
  for (const version of versions) kinds.push(customKind({ ...parts, spec, names, version, hub, hubKind }));
  return kinds;
}

interface Parts {
  readonly builtIn: Catalog;
  readonly definition: () => DefinitionText;
}

interface Source extends DefinitionSource, Parts {
  readonly version: DefinitionVersionV1;
  readonly hub: DefinitionVersionV1;
  readonly hubKind: () => Kind | undefined;
}

function customKind({ spec, names, version, hub, builtIn, definition, hubKind }: Source): Kind {
  const { group = "" } = spec;
  const { kind: name = "", plural = "" } = names;
  const { name: versionName = "" } = version;
  const schema = version.schema?.openAPIV3Schema ?? anything;
  const metadata = metaType(builtIn, "ObjectMeta");
  const type = once(() => compileSchema(schema, { name: `${group}/${versionName}.${name}`, metadata }));
  const listType = once(() => listTypeOf(type(), metaType(builtIn, "ListMeta")));
  const deprecation = once(() => deprecationOf(spec, names, version));
  const table = once(() => customTable(version.additionalPrinterColumns ?? []));
  const namespaced = spec.scope === "Namespaced";
  const kind: Kind = {
    group,
    version: versionName,
    apiVersion: apiVersionOf(group, versionName),
    kind: name,
    listKind: names.listKind ?? `${name}List`,
    plural,
    singular: names.singular ?? name.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced,
    verbs,
    subresources: subresourcesOf(name, version),
    fieldSelectors: { fields: selectable(version), aliases: {}, strict: false },
    release: { introduced: "1.0", byDefault: true, deprecated: undefined, removed: undefined, replacement: undefined },
    definition,
    scale: scaleOf(version),
    get deprecation() {
      return deprecation();
    },
    served: version.served === true,
    storage: { group, version: hub.name ?? "", prefix: `${group}/${plural}`, ttlSeconds: undefined },
    strategy: strategyOf(version),
    metaRules: { namespaced, nameFormat: "dnsSubdomain", standardFinalizers: undefined },
    storageVersionHash: storageVersionHash(`${group}/${hub.name ?? ""}/${name}`),
    get type() {
      return type();
    },
    get listType() {
      return listType();
    },
    behavior,
    get table() {
      return table();
    },
    get hub() {
      return hubKind() ?? kind;
    },
    conversion: undefined,
  };
  return kind;
}

/** The definition's own word on a version that is deprecated, or a sentence that names a better one. */
function deprecationOf(
  { group = "", versions = [] }: DefinitionSpecV1,
  { kind = "" }: DefinitionNames,
  { name = "", deprecated = false, deprecationWarning }: DefinitionVersionV1,
): string | undefined {
  if (!deprecated) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const [better] = versions
    .flatMap((one) => (one.served === true && one.deprecated !== true && one.name !== undefined ? [one.name] : []))
    .filter((one) => compareVersions(one, name) < 0)
    .sort(compareVersions);
  const instead = better === undefined ? "" : `; use ${group}/${better} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${instead}`;
}

/** A write of the status is held to the whole schema. */
const behavior: Behavior = { warnings: finalizersWithoutDomain, parts: { status: { whole: true } } };

/** A finalizer of anybody's may be called alike. */
function* finalizersWithoutDomain({ metadata }: ApiObject, { old }: Was<ApiObject>): Generator<string> {
  const before = new Set(old?.metadata.finalizers);
  for (const name of metadata.finalizers ?? []) {
    if (before.has(name) || name.includes("/") || standard.has(name)) continue;
    const why = "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers";
    yield `metadata.finalizers: ${JSON.stringify(name)}: ${why}`;
  }
}

const standard: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion"]);

function strategyOf({ subresources }: DefinitionVersionV1): Strategy {
  const hasStatus = subresources?.status !== undefined;
  return { ...defaultStrategy, statusReset: hasStatus ? "both" : "never", generation: ["*"] };
}

function subresourcesOf(kind: string, { subresources }: DefinitionVersionV1): readonly Subresource[] {
  const plain = { options: undefined, text: false, upgrade: false, path: false, verbs: ["get", "patch", "update"] };
  const status: Subresource = { ...plain, name: "status", kind, apiVersion: undefined };
  const scale: Subresource = { ...plain, name: "scale", kind: "Scale", apiVersion: "autoscaling/v1" };
  return [
    ...(subresources?.status === undefined ? [] : [status]),
    ...(subresources?.scale === undefined ? [] : [scale]),
  ];
}

function scaleOf({ subresources }: DefinitionVersionV1): ScalePaths | undefined {
  const { specReplicasPath = "", statusReplicasPath = "", labelSelectorPath = "" } = subresources?.scale ?? {};
  if (specReplicasPath === "") return undefined;
  return {
    replicas: names(specReplicasPath),
    statusReplicas: names(statusReplicasPath),
    selector: labelSelectorPath === "" ? undefined : names(labelSelectorPath),
  };
}

/** `.spec.replicas` → `spec`, `replicas`. */
function names(path: string): readonly string[] {
  return path.split(".").slice(1);
}

/** `.spec.color` → `spec.color`. */
function selectable({ selectableFields = [] }: DefinitionVersionV1): readonly string[] {
  return selectableFields.map(({ jsonPath = "" }) => (jsonPath.startsWith(".") ? jsonPath.slice(1) : jsonPath));
}

/** Of a definition without a schema, which only releases of before could make: whatever comes is kept. */
const anything: JsonSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function metaType(builtIn: Catalog, name: string): MessageType {
  const type = builtIn.type(`meta/v1.${name}`);
  if (type === undefined) throw new TypeError(`the catalog has no ${name}`);
  return type;
}
