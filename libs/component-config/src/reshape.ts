import { field, isObject, type JsonObject, type MessageType, message, type Type } from "@orch/schema/descriptor.js";
import type { OtherShape } from "./configuration.js";
import { valueAt, withValueAt } from "./paths.js";
import type { Struct } from "./shape.js";

/** How a version differs from the hub, by paths in the hub's words. */
export interface Differences {
  /** Fields that the version has not. */
  readonly without: readonly string[];
  /** Lists of name and value, which are maps in the version; of a repeated name the last value stays. */
  readonly maps?: readonly string[];
}

const textMap: Type = { kind: "map", value: { kind: "string" }, mapType: "granular" };

/** A version that is the hub with less. */
export function lesser(hub: Struct<unknown>, { without, maps = [] }: Differences): OtherShape {
  const changes = new Map<string, Type | undefined>([
    ...without.map((path) => [path, undefined] as const),
    ...maps.map((path) => [path, textMap] as const),
  ]);
  return {
    shape: { type: changed(hub.type, changes, "") },
    toHub: (value) => mapsChanged(value, maps, listOf),
    fromHub: (value) => mapsChanged(value, maps, mapOf),
  };
}

function changed(type: MessageType, changes: ReadonlyMap<string, Type | undefined>, at: string): MessageType {
  const { name, object } = type;
  const isOwn = (fieldName: string): boolean => !object || (fieldName !== "apiVersion" && fieldName !== "kind");
  return message({
    ...{ name, object, protobuf: false },
    fields: () =>
      type.fields
        .filter((f) => isOwn(f.name) && !(changes.has(at + f.name) && changes.get(at + f.name) === undefined))
        .map((f) => {
          const other = changes.get(at + f.name);
          if (other !== undefined) return field({ ...f, type: other, default: {} });
          if (f.type.kind !== "message") return f;
          return field({ ...f, type: changed(f.type, changes, `${at}${f.name}.`) });
        }),
  });
}

const mapsChanged = (value: JsonObject, paths: readonly string[], change: (given: unknown) => unknown): JsonObject =>
  paths.reduce((all, path) => {
    const given = valueAt(all, path);
    return given === undefined ? all : withValueAt(all, path, change(given));
  }, value);

const listOf = (given: unknown): unknown =>
  isObject(given)
    ? Object.keys(given)
        .sort()
        .map((name) => ({ name, value: given[name] }))
    : given;

const mapOf = (given: unknown): unknown =>
  Array.isArray(given)
    ? Object.fromEntries(given.filter(isObject).map(({ name, value }) => [String(name), value]))
    : given;
