import type { Naming } from "@orch/naming/naming.js";
import {
  type Check,
  type Field,
  field,
  formatNames,
  isObject,
  type ListKind,
  type MessageType,
  message,
  type ScalarKind,
  type Type,
} from "@orch/schema/descriptor.js";
import type { DataFile } from "./data-file.js";
import { DataError, type Reader, reader } from "./reader.js";

/**
 * The types of all data files, each compiled when it is first asked for. `core/v1.Pod` names a type of
 * the file `core.v1`; a type's own file may leave the prefix out.
 */
export interface Types {
  message(name: string): MessageType | undefined;
}

const scalars: ReadonlyMap<string, ScalarKind> = new Map([
  ["string", "string"],
  ["int32", "int32"],
  ["int64", "int64"],
  ["bool", "bool"],
  ["double", "double"],
  ["bytes", "bytes"],
  ["any", "any"],
  ["Time", "time"],
  ["MicroTime", "microTime"],
  ["Duration", "duration"],
  ["Quantity", "quantity"],
  ["IntOrString", "intOrString"],
  ["RawExtension", "raw"],
  ["Object", "raw"],
  ["FieldsV1", "fieldsV1"],
]);

/** A type reference resolved: the type, and the closed set of values that an alias on the way brought. */
interface Resolved {
  readonly type: Type;
  readonly values: readonly string[] | undefined;
}

/** What a field says about its list or map. */
interface Shape {
  readonly list: ListKind;
  readonly keys: readonly string[];
  readonly map: "atomic" | "granular";
}
const plain: Shape = { list: "atomic", keys: [], map: "granular" };

export function createTypes(files: readonly DataFile[], naming: Naming): Types {
  const byName = new Map(files.map((file) => [file.name.replace(/\.(?=v\d)/, "/"), file]));
  const compiled = new Map<string, Resolved>();

  /** `Pod` in core/v1 or `core/v1.Pod` anywhere → [`core/v1`, `Pod`]. */
  const locate = (reference: string, home: string): readonly [string, string] => {
    const slash = reference.indexOf("/");
    if (slash < 0) return [home, reference];
    const dot = reference.indexOf(".", slash);
    return [reference.slice(0, dot), reference.slice(dot + 1)];
  };

  const resolve = (reference: string, home: string, shape: Shape): Resolved => {
    if (reference.startsWith("[]")) {
      const item = resolve(reference.slice(2), home, plain);
      return {
        type: { kind: "list", item: item.type, listType: shape.list, keys: shape.keys, wrapped: false },
        values: item.values,
      };
    }
    if (reference.startsWith("map[")) {
      const value = resolve(reference.slice(reference.indexOf("]") + 1), home, plain);
      return { type: { kind: "map", value: value.type, mapType: shape.map }, values: value.values };
    }
    const scalar = scalars.get(reference);
    if (scalar !== undefined) return { type: { kind: scalar }, values: undefined };
    return named(...locate(reference, home), shape);
  };

  const named = (home: string, name: string, shape: Shape): Resolved => {
    const full = `${home}.${name}`;
    const known = compiled.get(full);
    if (known !== undefined && shape === plain) return known;
    const entry = byName.get(home)?.types.get(name);
    if (entry === undefined) throw new DataError(home, `no type ${name}`);
    const r = reader(`${home} type ${name}`, entry);
    if (r.has("alias")) return alias(r, home, shape);
    if (known !== undefined) return known;
    const result: Resolved = {
      type: r.has("either") ? either(r, full, home) : messageOf(r, full, home),
      values: undefined,
    };
    compiled.set(full, result);
    return result;
  };

  const alias = (entry: Reader, home: string, shape: Shape): Resolved => {
    const r = reader(entry.where, Object.fromEntries(entry.entries()), [
      "alias",
      "values",
      "inOrder",
      "known",
      "wrapped",
      "doc",
    ]);
    const target = resolve(r.text("alias"), home, shape);
    const own = r.optionalTexts("values")?.map(naming.word);
    const values = (r.flag("inOrder") ? own : own?.sort()) ?? target.values;
    const type: Type =
      target.type.kind === "list" && r.flag("wrapped") ? { ...target.type, wrapped: true } : target.type;
    return { type, values };
  };

  const either = (r: Reader, name: string, home: string): Type => ({
    kind: "either",
    name,
    alternatives: r.objects("either").map((a) => ({
      number: a.optionalNumber("id") ?? 0,
      type: resolve(a.text("type"), home, plain).type,
    })),
  });

  const messageOf = (entry: Reader, name: string, home: string): MessageType => {
    const r = reader(entry.where, Object.fromEntries(entry.entries()), [
      "object",
      "struct",
      "union",
      "protobuf",
      "order",
      "firstOf",
      "fields",
      "doc",
    ]);
    return message({
      name,
      object: r.flag("object"),
      structType: r.oneOf("struct", ["atomic", "granular"]) ?? "granular",
      union: r.flag("union"),
      protobuf: r.raw("protobuf") !== false,
      order: r.optionalTexts("order"),
      firstOf: r.optionalTexts("firstOf"),
      fields: () => r.objects("fields").map((f) => fieldOf(f, home)),
    });
  };

  const fieldOf = (entry: Reader, home: string): Field => {
    const r = reader(entry.where, Object.fromEntries(entry.entries()), fieldKeys);
    const inline = r.flag("inline");
    const strategy = readStrategy(r);
    const mergeKey = r.optionalText("mergeKey");
    const { type, values } = resolve(r.text("type"), home, shapeOf(r, strategy.includes("merge"), mergeKey));
    const fallback = r.raw("default");
    const protoName = r.optionalText("protoName");
    return field({
      name: inline ? "" : r.text("name"),
      ...(protoName === undefined ? {} : { protoName }),
      number: r.optionalNumber("id"),
      type,
      required: r.flag("required"),
      omitempty: r.flag("omitempty"),
      pointer: r.flag("pointer"),
      nullable: r.flag("nullable"),
      inline,
      structType: r.oneOf("struct", ["atomic", "granular"]),
      strategy,
      mergeKey,
      values: r.optionalTexts("values")?.map(naming.word).sort() ?? values,
      default: typeof fallback === "string" ? naming.word(fallback) : fallback,
      check: r.has("check") ? readCheck(`${r.where}.check`, r.raw("check")) : undefined,
      doc: r.optionalText("doc") ?? "",
    });
  };

  return {
    message: (name) => {
      const [home, own] = locate(name, "");
      if (byName.get(home)?.types.has(own) !== true) return undefined;
      const { type } = named(home, own, plain);
      return type.kind === "message" ? type : undefined;
    },
  };
}

const fieldKeys = [
  "name",
  "id",
  "protoName",
  "type",
  "pointer",
  "required",
  "omitempty",
  "nullable",
  "inline",
  "list",
  "keys",
  "map",
  "struct",
  "strategy",
  "mergeKey",
  "default",
  "values",
  "check",
  "doc",
];

function readStrategy(r: Reader): Field["strategy"] {
  const known = ["merge", "retainKeys", "replace"] as const;
  return r.texts("strategy").map((s) => {
    const found = known.find((k) => k === s);
    if (found === undefined) throw new DataError(`${r.where}.strategy`, `expected some of ${known.join(", ")}`);
    return found;
  });
}

/** Where the list type is not said, a merge strategy is read as `map` with its key (rules: Server-side apply, 6). */
function shapeOf(r: Reader, merges: boolean, mergeKey: string | undefined): Shape {
  const list =
    r.oneOf("list", ["atomic", "set", "map"]) ?? (!merges ? "atomic" : mergeKey === undefined ? "set" : "map");
  const keys = r.optionalTexts("keys") ?? (list === "map" && mergeKey !== undefined ? [mergeKey] : []);
  return { list, keys, map: r.oneOf("map", ["atomic", "granular"]) ?? "granular" };
}

function readCheck(where: string, entry: unknown): Check {
  const r = reader(where, entry, checkKeys);
  const required = r.raw("required");
  const unique = r.raw("unique");
  const bounds = r.raw("range");
  const format = r.oneOf("format", formatNames);
  const range = Array.isArray(bounds) ? readRange(where, bounds) : undefined;
  const numbers = Object.fromEntries(
    (["min", "above", "maxLength", "maxBytes", "minItems", "maxItems"] as const).flatMap((key) => {
      const n = r.optionalNumber(key);
      return n === undefined ? [] : [[key, n] as const];
    }),
  );
  return {
    ...numbers,
    ...(required === true || typeof required === "string" ? { required } : {}),
    ...(format === undefined ? {} : { format }),
    ...(range === undefined ? {} : { range }),
    ...(unique === true ? { unique } : unique === undefined ? {} : { unique: r.texts("unique") }),
    ...(r.flag("judgesEmpty") ? { judgesEmpty: true } : {}),
    ...(r.flag("present") ? { present: true } : {}),
    ...(r.flag("immutable") ? { immutable: true } : {}),
    ...(r.raw("oneOf") === undefined ? {} : { oneOf: r.texts("oneOf") }),
    ...(r.flag("open") ? { open: true } : {}),
    ...(r.flag("draft") ? { draft: true } : {}),
    ...(isObject(r.raw("keys")) ? { keys: readCheck(`${where}.keys`, r.raw("keys")) } : {}),
    ...(isObject(r.raw("items")) ? { items: readCheck(`${where}.items`, r.raw("items")) } : {}),
  };
}

const checkKeys = [
  "required",
  "format",
  "judgesEmpty",
  "range",
  "min",
  "above",
  "maxLength",
  "maxBytes",
  "minItems",
  "maxItems",
  "unique",
  "present",
  "immutable",
  "oneOf",
  "keys",
  "items",
  "open",
  "draft",
];

function readRange(where: string, bounds: readonly unknown[]): readonly [number, number] {
  const [low, high] = bounds;
  if (typeof low === "number" && typeof high === "number") return [low, high];
  throw new DataError(`${where}.range`, "expected two numbers");
}
