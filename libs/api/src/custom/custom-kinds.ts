import { ruleEnvironments } from "@orch/cel/rules/environments.js";
import type { MessageType } from "@orch/schema/descriptor.js";
import { equalJson } from "@orch/schema/equal.js";
import { compileSchema } from "@orch/schema/structural/compile.js";
import type { JsonSchema } from "@orch/schema/structural/json-schema.js";
import { validateCustom } from "@orch/schema/structural/validate-custom.js";
import type { FieldError } from "@orch/status/field-error.js";
import type { Behavior, Was } from "../behavior.js";
import {
  apiVersionOf,
  type Catalog,
  type ConversionWebhook,
  type Kind,
  listTypeOf,
  once,
  type ScalePaths,
  storageVersionHash,
} from "../catalog.js";
import { defaultStrategy, type Strategy, type Subresource, type Verb } from "../data-file.js";
import type {
  DefinitionNames,
  DefinitionSpecV1,
  DefinitionVersionV1,
  VersionSchema,
} from "../kinds/apiextensions/types.js";
import { statusOnly } from "../kinds/shared/status-only.js";
import type { ApiObject } from "../object.js";
import { compareVersions } from "../versions.js";
import { customTable } from "./columns.js";
import type { DefinitionText } from "./definition-text.js";
import { kindRules } from "./kind-rules.js";
import { scaleProblems } from "./scale-problems.js";

/** What the kinds of a definition are made of. */
export interface DefinitionSource {
  readonly spec: DefinitionSpecV1;
  readonly names: DefinitionNames;
  /** The revision at which the definition says so. */
  readonly since: number;
  /** It is being deleted. */
  readonly isTerminating: boolean;
}

/**
 * Nothing of it is served any more and it is being deleted: its objects are then there in the version that is stored, for
 * whoever deletes them.
 */
export function isAbandoned({ spec, isTerminating }: Pick<DefinitionSource, "spec" | "isTerminating">): boolean {
  return isTerminating && !(spec.versions ?? []).some(({ served }) => served === true);
}

/**
 * The kinds of a definition, one for each version, in the shape that built-in kinds have. What is compiled is compiled when
 * it is first asked for, and goes with the kind.
 */
export function customKinds({ spec, names, since, isTerminating }: DefinitionSource, parts: Parts): readonly Kind[] {
  const versions = spec.versions ?? [];
  const storedAt = versions.findIndex(({ storage }) => storage === true);
  const stored = versions[storedAt];
  if (stored === undefined) return [];
  const kinds: Kind[] = [];
  const storedKind = (): Kind | undefined => kinds[storedAt];
  const webhook = webhookOf(spec);
  const selectedBy = [...new Set(versions.flatMap(selectable))];
  for (const version of versions) {
    kinds.push(
      customKind({ ...parts, spec, names, since, isTerminating, version, stored, storedKind, webhook, selectedBy }),
    );
  }
  return kinds;
}

interface Parts {
  readonly builtIn: Catalog;
  readonly definition: () => DefinitionText;
}

interface Source extends DefinitionSource, Parts {
  readonly version: DefinitionVersionV1;
  readonly stored: DefinitionVersionV1;
  readonly storedKind: () => Kind | undefined;
  readonly webhook: ConversionWebhook | undefined;
  /** Fields by which objects can be selected in any version. */
  readonly selectedBy: readonly string[];
}

function webhookOf({ conversion: { strategy, webhook } = {} }: DefinitionSpecV1): ConversionWebhook | undefined {
  if (strategy !== "Webhook" || webhook?.clientConfig === undefined) return undefined;
  return { client: webhook.clientConfig, reviewVersions: webhook.conversionReviewVersions ?? [] };
}

const noSchema: VersionSchema = {};

/** Versions of one schema show the same of an object. */
function isSameShape(one: DefinitionVersionV1, other: DefinitionVersionV1): boolean {
  return one === other || equalJson(one.schema ?? noSchema, other.schema ?? noSchema);
}

function customKind({ spec, names, version, stored, builtIn, definition, storedKind, ...from }: Source): Kind {
  const { group = "" } = spec;
  const { kind: name = "", plural = "" } = names;
  const { name: versionName = "" } = version;
  const schema = version.schema?.openAPIV3Schema ?? anything;
  const metadata = metaType(builtIn, "ObjectMeta");
  const type = once(() => compileSchema(schema, { name: `${group}/${versionName}.${name}`, metadata }));
  const rules = once(() => kindRules(type(), ruleEnvironments(builtIn.naming.dialect, builtIn.release)));
  const listType = once(() => listTypeOf(type(), metaType(builtIn, "ListMeta")));
  const deprecation = once(() => deprecationOf(spec, names, version));
  const table = once(() => customTable(version.additionalPrinterColumns ?? []));
  const isStoredShape = once(() => isSameShape(version, stored));
  const namespaced = spec.scope === "Namespaced";
  const scale = scaleOf(version);
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
    scale,
    get deprecation() {
      return deprecation();
    },
    served: version.served === true || (version === stored && isAbandoned({ spec, isTerminating: from.isTerminating })),
    storage: { group, version: stored.name ?? "", prefix: `${group}/${plural}`, ttlSeconds: undefined },
    strategy: strategyOf(version),
    metaRules: { namespaced, nameFormat: "dnsSubdomain", standardFinalizers: undefined },
    storageVersionHash: storageVersionHash(`${group}/${stored.name ?? ""}/${name}`),
    get type() {
      return type();
    },
    get listType() {
      return listType();
    },
    behavior: behaviorOf(type, scale),
    get table() {
      return table();
    },
    get hub() {
      return kind;
    },
    get stored() {
      return storedKind() ?? kind;
    },
    custom: {
      since: from.since,
      webhook: from.webhook,
      selectedBy: from.selectedBy,
      get isStoredShape() {
        return isStoredShape();
      },
    },
    get rules() {
      return rules();
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

/** As discovery lists them. */
const verbs: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/** A write of the status takes nothing else, and is held to the schema of the status. */
function behaviorOf(type: () => MessageType, scale: ScalePaths | undefined): Behavior {
  const problems = scale === undefined ? undefined : scaleProblems(scale);
  return {
    warnings: finalizersWithoutDomain,
    ...(problems === undefined ? {} : { validate: problems.whole }),
    parts: {
      status: {
        prepare: statusAlone,
        validate: (object, old) => [...statusProblems(type(), object, old), ...(problems?.status(object) ?? [])],
      },
    },
  };
}

type WithStatus = ApiObject & { readonly status?: unknown };

function statusProblems(type: MessageType, { status }: WithStatus, { status: old }: WithStatus): readonly FieldError[] {
  const schema = type.byName.get("status")?.type;
  if (schema === undefined || status === undefined) return [];
  return validateCustom(schema, status, { at: { up: undefined, step: "status" }, old });
}

function statusAlone(object: WithStatus, old: WithStatus): WithStatus {
  const { status, ...shown } = statusOnly(object, old);
  return status === undefined ? shown : { ...shown, status };
}

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
