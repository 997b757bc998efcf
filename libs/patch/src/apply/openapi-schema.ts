import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import {
  atomicValue,
  deducedValue,
  type ListForm,
  type MapForm,
  type ScalarForm,
  type Schema,
  scalarSchema,
} from "./schema.js";

/**
 * The schema of a structural OpenAPI schema, as custom resources have them (`x-kubernetes-list-type` and the like).
 * References are resolved by `resolve`: what a `$ref` names, by its last part.
 */
export function openApiSchema(
  source: JsonObject,
  resolve: (name: string) => Schema | undefined = () => undefined,
): Schema {
  return schemaOfSource({ resolve, preserve: false }, source);
}

interface Context {
  readonly resolve: (name: string) => Schema | undefined;
  /** Unknown fields are kept, here and below. */
  readonly preserve: boolean;
}

function referenced({ resolve }: Context, source: JsonObject): Schema | undefined {
  const all = source["allOf"];
  const inner: unknown = Array.isArray(all) && all.length === 1 ? all[0] : undefined;
  const reference = source["$ref"] ?? (isObject(inner) ? inner["$ref"] : undefined);
  if (typeof reference !== "string") return undefined;
  const schema = resolve(reference.slice(reference.lastIndexOf("/") + 1));
  const relation = source["x-kubernetes-map-type"];
  if (schema?.map === undefined || relation === undefined) return schema;
  const atomic = relation === "atomic";
  const { map } = schema;
  // Types may contain themselves: what is below stays to be asked for.
  return {
    scalar: schema.scalar,
    list: schema.list,
    map: {
      atomic,
      get fields() {
        return map.fields;
      },
      element: map.element,
      defaultOf: map.defaultOf,
      deduced: map.deduced,
    },
  };
}

function schemaOfSource(outer: Context, source: JsonObject): Schema {
  const preserve = outer.preserve || source["x-kubernetes-preserve-unknown-fields"] === true;
  const context = preserve === outer.preserve ? outer : { ...outer, preserve };
  const reference = referenced(context, source);
  if (reference !== undefined) return reference;
  switch (source["type"]) {
    case "object":
      return { scalar: undefined, list: undefined, map: mapOf(context, source) };
    case "array":
      return { scalar: undefined, list: listOf(context, source), map: undefined };
    case "integer":
    case "number":
      return scalarSchema("numeric");
    case "boolean":
      return scalarSchema("boolean");
    case "string":
      return scalarSchema(stringForm(source["format"]));
    default:
      return { scalar: "untyped", list: listOf(context, source), map: mapOf(context, source) };
  }
}

/** A string in a format is compared as what it is. */
function stringForm(format: unknown): ScalarForm {
  return format === undefined || format === "" || format === "byte" ? "string" : "untyped";
}

function mapOf(context: Context, source: JsonObject): MapForm {
  const properties = isObject(source["properties"]) ? source["properties"] : {};
  let fields: ReadonlyMap<string, Schema> | undefined;
  const element = elementOfMap(context, source, Object.keys(properties).length === 0);
  return {
    atomic: source["x-kubernetes-map-type"] === "atomic",
    get fields() {
      fields ??= new Map(
        Object.entries(properties).map(([name, p]) => [name, schemaOfSource(context, isObject(p) ? p : {})]),
      );
      return fields;
    },
    element,
    defaultOf: (name) => {
      const property = properties[name];
      return isObject(property) ? property["default"] : undefined;
    },
    deduced: element === deducedValue && Object.keys(properties).length === 0,
  };
}

function elementOfMap(context: Context, source: JsonObject, bare: boolean): Schema | undefined {
  const more = source["additionalProperties"];
  if (isObject(more)) return schemaOfSource(context, more);
  if (more === undefined) return context.preserve || bare ? deducedValue : undefined;
  return more === true ? deducedValue : undefined;
}

function listOf(context: Context, source: JsonObject): ListForm {
  const items = source["items"];
  const item = isObject(items) ? schemaOfSource(context, items) : atomicValue;
  const { associative, keys } = relationOf(source);
  return { atomic: !associative, item, keys };
}

/** Where the list type is not said, a merge strategy is read as a map with its key, or as a set. */
function relationOf(source: JsonObject): { readonly associative: boolean; readonly keys: readonly string[] } {
  const type = source["x-kubernetes-list-type"];
  if (type === "set") return { associative: true, keys: [] };
  if (type === "map") return { associative: true, keys: texts(source["x-kubernetes-list-map-keys"]) };
  const merges = type === undefined && String(source["x-kubernetes-patch-strategy"]).startsWith("merge");
  return { associative: merges, keys: merges ? texts([source["x-kubernetes-patch-merge-key"]]) : [] };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((v) => typeof v === "string") : [];
}
