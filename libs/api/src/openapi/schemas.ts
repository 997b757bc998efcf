import type { Naming } from "@orch/naming/naming.js";
import {
  type EitherType,
  type Field,
  isObject,
  type JsonObject,
  type ListType,
  type MapType,
  type MessageType,
  type ScalarKind,
  type Type,
} from "@orch/schema/descriptor.js";
import { customSchema } from "./custom-schema.js";
import { type Docs, homeOf } from "./docs.js";

/** Version 2 writes extensions and texts beside a reference; version 3 wraps the reference in `allOf`. */
export type Form = "v2" | "v3";

export interface GroupVersionKind {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
}

export interface SchemasOptions {
  readonly form: Form;
  readonly naming: Naming;
  readonly docs: Docs;
  /** What an object of this type is called in `apiVersion` and `kind`. */
  readonly kindsOf: (type: MessageType) => readonly GroupVersionKind[];
  /** By which fields objects of a custom resource's type, or those in its list, can be selected; undefined for others. */
  readonly selectableOf: (type: MessageType) => readonly string[] | undefined;
}

/** The named schemas of one document: grows by what is referred to. */
export interface Schemas {
  /** A reference to the schema of a message, or the schema itself of what has no name. */
  of(type: Type): JsonObject;
  /** Every schema that was referred to, and what these refer to, by name. */
  definitions(): Readonly<Record<string, JsonObject>>;
}

/** Where types of a data file stand among the names of schemas; all others below `api`. */
const packages: ReadonlyMap<string, string> = new Map([
  ["meta", "apimachinery.pkg.apis.meta"],
  ["apiextensions", "apiextensions-apiserver.pkg.apis.apiextensions"],
  ["apiregistration", "aggregator.pkg.apis.apiregistration"],
]);

interface Leaf {
  readonly schema: JsonObject;
  /** Leaves that have a name of their own; their value in version 3 where it differs. */
  readonly name?: string;
  readonly v3?: JsonObject;
  /** What an absent value means where the field is always written. */
  readonly zero?: unknown;
}

const text: JsonObject = { type: "string" };

const leaves: Record<Exclude<ScalarKind, "any">, Leaf> = {
  string: { schema: text, zero: "" },
  int32: { schema: { type: "integer", format: "int32" }, zero: 0 },
  int64: { schema: { type: "integer", format: "int64" }, zero: 0 },
  bool: { schema: { type: "boolean" }, zero: false },
  double: { schema: { type: "number", format: "double" }, zero: 0 },
  bytes: { schema: { type: "string", format: "byte" } },
  time: { name: "apimachinery.pkg.apis.meta.v1.Time", schema: { type: "string", format: "date-time" } },
  microTime: { name: "apimachinery.pkg.apis.meta.v1.MicroTime", schema: { type: "string", format: "date-time" } },
  duration: { name: "apimachinery.pkg.apis.meta.v1.Duration", schema: text },
  quantity: {
    name: "apimachinery.pkg.api.resource.Quantity",
    schema: text,
    v3: { oneOf: [{ type: "string" }, { type: "number" }] },
  },
  intOrString: {
    name: "apimachinery.pkg.util.intstr.IntOrString",
    schema: { type: "string", format: "int-or-string" },
    v3: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  },
  raw: { name: "apimachinery.pkg.runtime.RawExtension", schema: { type: "object" } },
  fieldsV1: { name: "apimachinery.pkg.apis.meta.v1.FieldsV1", schema: { type: "object" } },
};

export function createSchemas(options: SchemasOptions): Schemas {
  const { form, naming, docs } = options;
  const prefix = form === "v2" ? "#/definitions/" : "#/components/schemas/";
  const pending: (() => void)[] = [];
  const built = new Map<string, JsonObject>();

  /** A reference by name; the schema is made later, since types may contain themselves. */
  const named = (path: string, make: () => JsonObject): JsonObject => refer(naming.schemaName(path), make);

  const refer = (name: string, make: () => JsonObject): JsonObject => {
    if (!built.has(name)) {
      built.set(name, {});
      pending.push(() => built.set(name, make()));
    }
    return { $ref: prefix + name };
  };

  /** `home` is the data file of the message around it: the free JSON value has a name in each. */
  const schemaOf = (type: Type, home: string): JsonObject => {
    switch (type.kind) {
      case "message":
        if (type.rules !== undefined) return refer(customName(type.name), () => customResource(type));
        if (customItem(type) !== undefined) return refer(customName(type.name), () => customList(type));
        return named(schemaPath(type.name), () => messageSchema(type));
      case "either":
        return named(schemaPath(type.name), () => eitherSchema(type));
      case "list":
        return { type: "array", items: member(type.item, home) };
      case "map":
        return { type: "object", additionalProperties: member(type.value, home) };
      case "any":
        return named(schemaPath(`${home}.JSON`), () => described({}, docs.of(`${home}.JSON`)));
      default:
        return leafSchema(leaves[type.kind]);
    }
  };

  const leafSchema = ({ name, schema, v3 }: Leaf): JsonObject => {
    if (name === undefined) return schema;
    const own = `meta/v1.${name.slice(name.lastIndexOf(".") + 1)}`;
    return named(name, () => described(form === "v3" ? (v3 ?? schema) : schema, docs.of(own)));
  };

  /** An item of a list or a value of a map: absent in neither, so that version 3 names its zero. */
  const member = (type: Type, home: string): JsonObject => {
    const zero = form === "v3" ? zeroOf(type) : undefined;
    return beside(schemaOf(type, home), zero === undefined ? {} : { default: zero });
  };

  /** A schema with what stands beside it. */
  const beside = (schema: JsonObject, more: JsonObject): JsonObject => {
    if (form === "v2" || !("$ref" in schema) || Object.keys(more).length === 0) return { ...schema, ...more };
    return { allOf: [schema], ...more };
  };

  const messageSchema = (type: MessageType): JsonObject => {
    const { home } = homeOf(type.name);
    const fields = [...type.byName];
    const required = fields.filter(([, f]) => f.required).map(([name]) => name);
    const kinds = type.object || type.name === watchEvent ? options.kindsOf(type) : [];
    const properties = fields
      .map(([name, f]) => [name, property({ type, field: f, name, home })] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return described(
      {
        type: "object",
        ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
        ...(required.length === 0 ? {} : { required }),
        ...(type.structType === "atomic" ? { "x-kubernetes-map-type": "atomic" } : {}),
        ...(type.union ? { "x-kubernetes-unions": [unionOf(type)] } : {}),
        ...(kinds.length === 0 ? {} : { "x-kubernetes-group-version-kind": kinds }),
        ...(type.object ? selectable(type) : {}),
      },
      docs.of(type.name),
    );
  };

  const customList = (type: MessageType): JsonObject => {
    const item = customItem(type);
    const { name } = homeOf(type.name);
    const { properties, ...list } = messageSchema(type);
    const { default: _none, ...metadata } = asFields(asFields(properties)["metadata"]);
    const items = { type: "array", ...(item === undefined ? {} : { items: schemaOf(item, "") }) };
    return {
      ...list,
      description: `${name} is a list of ${name.slice(0, -listSuffix.length)}`,
      properties: { ...asFields(properties), metadata, items: described(items, docs.of("meta/v1.List", "items")) },
    };
  };

  const selectable = (type: MessageType): JsonObject => {
    const paths = options.selectableOf(type);
    return paths === undefined ? {} : { "x-kubernetes-selectable-fields": paths.map((fieldPath) => ({ fieldPath })) };
  };

  const customResource = (type: MessageType): JsonObject => {
    const kinds = options.kindsOf(type);
    const metaProperty = (name: string): JsonObject => {
      const field = type.byName.get(name);
      const description = field && describe(docs, type, name, field);
      return field === undefined
        ? {}
        : beside(schemaOf(field.type, ""), description === undefined ? {} : { description });
    };
    return {
      ...customSchema(type, { form, metaProperty }),
      ...(kinds.length === 0 ? {} : { "x-kubernetes-group-version-kind": kinds }),
      ...selectable(type),
    };
  };

  const eitherSchema = (type: EitherType): JsonObject => described({}, docs.of(type.name));

  const property = ({ type, field, name, home }: Property): JsonObject => {
    const description = describe(docs, type, name, field);
    const fallback = form === "v3" ? defaultOf(field) : undefined;
    return beside(withValues(schemaOf(field.type, home), field), {
      ...(description === undefined ? {} : { description }),
      ...(fallback === undefined ? {} : { default: fallback }),
      ...extensions(type, name, field),
    });
  };

  return {
    of: (type) => schemaOf(type, ""),
    definitions() {
      for (let make = pending.pop(); make !== undefined; make = pending.pop()) make();
      return Object.fromEntries([...built].sort(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
}

interface Property {
  readonly type: MessageType;
  readonly name: string;
  readonly field: Field;
  readonly home: string;
}

/** `core/v1.Pod` → `api.core.v1.Pod`. */
function schemaPath(type: string): string {
  const { home, name } = homeOf(type);
  const [group = "", version] = home.split("/");
  const found = packages.get(group) ?? (version === undefined ? group : `api.${group}`);
  return version === undefined ? `${found}.${name}` : `${found}.${version}.${name}`;
}

/** `stable.example.com/v1.Widget` → `com.example.stable.v1.Widget`. */
function customName(type: string): string {
  const { home, name } = homeOf(type);
  const [group = "", version = ""] = home.split("/");
  return [...group.split(".").reverse(), version, name].join(".");
}

const listSuffix = "List";

/** The type of what a list of custom resources holds; undefined for every other type. */
function customItem(type: MessageType): MessageType | undefined {
  const items = isList(type) ? type.byName.get("items")?.type : undefined;
  const item = items?.kind === "list" ? items.item : undefined;
  return item?.kind === "message" && item.rules !== undefined ? item : undefined;
}

const watchEvent = "meta/v1.WatchEvent";

function described(schema: JsonObject, description: string | undefined): JsonObject {
  return description === undefined ? schema : { description, ...schema };
}

/** The field's own text; of what every object has, the texts of the meta types. */
function describe(docs: Docs, type: MessageType, name: string, field: Field): string | undefined {
  const own = docs.of(type.name, name) ?? (field.doc === "" ? undefined : field.doc);
  if (own !== undefined || !type.object) return own;
  if (name === "metadata") return docs.of("meta/v1.TypeMeta", isList(type) ? "listMetadata" : "metadata");
  if (name === "items" && isList(type)) return docs.of("meta/v1.List", "items");
  return docs.of("meta/v1.TypeMeta", name);
}

/** The closed set of values, at the value itself. */
function withValues(schema: JsonObject, { type, values }: Field): JsonObject {
  if (values === undefined) return schema;
  const sorted = [...values].sort();
  if (type.kind === "list") return { ...schema, items: { ...asObject(schema.items), enum: sorted } };
  if (type.kind === "map")
    return { ...schema, additionalProperties: { ...asObject(schema.additionalProperties), enum: sorted } };
  return { ...schema, enum: sorted };
}

function asFields(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/** What the server fills in; else the zero of what is always written. */
function defaultOf(field: Field): unknown {
  if (field.default !== undefined) return field.default;
  if (field.pointer) return undefined;
  return field.omitempty && field.type.kind !== "message" ? undefined : zeroOf(field.type);
}

function zeroOf(type: Type): unknown {
  if (type.kind === "message") return {};
  if (type.kind === "list" || type.kind === "map" || type.kind === "either" || type.kind === "any") return undefined;
  return leaves[type.kind].zero;
}

/** Merge markers (rules: Merge strategy markers). */
function extensions(type: MessageType, name: string, field: Field): JsonObject {
  return {
    ...(field.type.kind === "list" && !(name === "items" && isList(type)) ? listExtensions(field.type) : {}),
    ...(field.type.kind === "map" ? mapExtensions(field.type) : {}),
    ...(field.structType === undefined ? {} : { "x-kubernetes-map-type": field.structType }),
    ...(field.strategy.length === 0 ? {} : { "x-kubernetes-patch-strategy": field.strategy.join(",") }),
    ...(field.mergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": field.mergeKey }),
  };
}

/** A named list type says nothing of itself. */
function listExtensions({ listType, keys, wrapped }: ListType): JsonObject {
  if (wrapped) return {};
  return {
    "x-kubernetes-list-type": listType,
    ...(keys.length === 0 ? {} : { "x-kubernetes-list-map-keys": keys }),
  };
}

function mapExtensions({ mapType }: MapType): JsonObject {
  return mapType === "atomic" ? { "x-kubernetes-map-type": "atomic" } : {};
}

function isList(type: MessageType): boolean {
  const metadata = type.byName.get("metadata")?.type;
  return metadata?.kind === "message" && metadata.name === "meta/v1.ListMeta" && type.byName.has("items");
}

/** The first field tells which of the others is set: by the value that is spelled like it. */
function unionOf(type: MessageType): JsonObject {
  const [discriminator, ...members] = [...type.byName.keys()];
  const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);
  return {
    discriminator,
    "fields-to-discriminateBy": Object.fromEntries(members.map((name) => [name, capital(name)])),
  };
}
