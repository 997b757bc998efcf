import { isDyn, type Type } from "../check/types.js";
import type { LibraryFunction, LibraryOverload, Run } from "../libraries/library.js";
import {
  CelError,
  Double,
  Duration,
  ListValue,
  MapValue,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from "../values/value.js";

/** Whether every value of type `given` is one of `wanted`, so that nothing is to be asked at run time. */
export function fits(given: Type, wanted: Type): boolean {
  if (wanted.kind === "param" || isDyn(wanted)) return true;
  if (given.kind !== wanted.kind || isDyn(given)) return false;
  if (given.kind === "list" && wanted.kind === "list") return fits(given.element, wanted.element);
  if (given.kind === "map" && wanted.kind === "map")
    return fits(given.key, wanted.key) && fits(given.value, wanted.value);
  return "name" in given && "name" in wanted ? given.name === wanted.name : true;
}

/** Whether a value may stand for an argument of the type; of lists and maps the first element or entry is looked at. */
export function isOf(value: Value, type: Type): boolean {
  switch (type.kind) {
    case "bool":
      return typeof value === "boolean";
    case "int":
      return typeof value === "number" || typeof value === "bigint";
    case "uint":
      return value instanceof Uint;
    case "double":
      return value instanceof Double;
    case "string":
      return typeof value === "string";
    case "bytes":
      return value instanceof Uint8Array;
    case "null":
      return value === null;
    case "duration":
      return value instanceof Duration;
    case "timestamp":
      return value instanceof Timestamp;
    case "list":
      return value instanceof ListValue && (value.size === 0 || isOf(value.at(0), type.element));
    case "map":
      return value instanceof MapValue && firstFits(value, type);
    case "type":
      return value instanceof TypeValue;
    case "opaque":
      return type.name === "optional_type" ? value instanceof Optional : isNamed(value, type.name);
    case "struct":
      return isNamed(value, type.name);
    default:
      return true;
  }
}

function firstFits(map: MapValue, { key, value }: { readonly key: Type; readonly value: Type }): boolean {
  if (isFree(key) && isFree(value)) return true;
  for (const first of map.keys()) return isOf(first, key) && isOf(map.find(first) ?? null, value);
  return true;
}

const isFree = (type: Type): boolean => type.kind === "param" || isDyn(type);

function isNamed(value: Value, name: string): boolean {
  return value instanceof Opaque && value.typeName === name;
}

/** Chooses the overload by the types of the values. */
export function dispatcher(fn: LibraryFunction, only: LibraryOverload | undefined): Run {
  const candidates = only === undefined ? fn.overloads : [only];
  return (args) => {
    for (const overload of candidates) {
      if (overload.args.length !== args.length || !overload.args.every((type, i) => isOf(args[i] ?? null, type)))
        continue;
      const run = overload.run ?? fn.run;
      if (run !== undefined) return run(args);
    }
    return new CelError(`no such overload: ${fn.name}(${args.map(typeNameOf).join(", ")})`);
  };
}
