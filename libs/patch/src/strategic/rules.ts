import type { Field, Type } from "@orch/schema/descriptor.js";
import { badRequest } from "@orch/status/api-error.js";
import { quoted } from "@orch/status/quoted.js";

/** How the values of a field are merged. */
export interface Rule {
  /** The type of the field, of a list's items. */
  readonly type: Type;
  readonly strategy: "merge" | "replace" | undefined;
  /** The member that tells items apart; undefined where there is none. */
  readonly mergeKey: string | undefined;
}

/** How objects in a field are merged. @throws ApiError InternalError for a field that the type does not have */
export function objectRule(parent: Type, name: string): Rule {
  return ruleOf(fieldOf(parent, name));
}

/** How lists in a field are merged. @throws ApiError InternalError for a field that the type does not have as a list */
export function listRule(parent: Type, name: string): Rule {
  const field = fieldOf(parent, name);
  return { ...ruleOf(field), type: itemOf(parent, field) };
}

function ruleOf(field: Field): Rule {
  return { type: field.type, strategy: field.strategy.find((s) => s !== "retainKeys"), mergeKey: field.mergeKey };
}

function fieldOf(parent: Type, name: string): Field {
  const typeName = structName(parent);
  if (typeName === undefined) {
    throw badRequest(`merging an object in json but data type is not struct, instead is: ${goKind(parent)}`);
  }
  const field = parent.kind === "message" ? parent.byName.get(name) : undefined;
  if (field === undefined) {
    throw badRequest(`unable to find api field in struct ${typeName} for the json field ${quoted(name)}`);
  }
  return field;
}

function itemOf(parent: Type, { type, pointer }: Field): Type {
  if (type.kind === "list") {
    if (goKind(type.item) === "slice") throw badRequest("unexpected slice of slice");
    return type.item;
  }
  // As in the reference: what a pointer leads to stands for the items of a list that it can not hold.
  if (pointer) return type;
  throw badRequest(`expected slice or array type, but got: ${goKind(parent)}`);
}

/** Whether the reference always has an object there, if only an empty one. */
export function isAlwaysObject(parent: Type, name: string): boolean {
  if (parent.kind !== "message") return false;
  const field = parent.byName.get(name);
  return field !== undefined && field.type.kind === "message" && !field.pointer;
}

/** The kind of type that the reference has for a type of ours. */
export function goKind(type: Type): string {
  switch (type.kind) {
    case "list":
    case "bytes":
      return "slice";
    case "map":
    case "string":
    case "int32":
    case "int64":
    case "bool":
      return type.kind;
    case "double":
      return "float64";
    default:
      return "struct";
  }
}

/** The reference's name of what it keeps in a struct; undefined for anything else. */
function structName(type: Type): string | undefined {
  switch (type.kind) {
    case "message":
    case "either":
      return type.name.slice(type.name.lastIndexOf(".") + 1);
    case "raw":
      return "RawExtension";
    case "any":
      return "JSON";
    case "fieldsV1":
      return "FieldsV1";
    case "intOrString":
      return "IntOrString";
    case "quantity":
      return "Quantity";
    case "duration":
      return "Duration";
    case "time":
      return "Time";
    case "microTime":
      return "MicroTime";
    default:
      return undefined;
  }
}
