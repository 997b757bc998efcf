import { isZero } from "./decode.js";
import { type Field, isObject, isRepeated, type JsonObject, type MessageType, type Type } from "./descriptor.js";

/** A field that is always written, and what stands there when it has no value; or one to look into. */
interface Part {
  readonly name: string;
  readonly zero: (() => unknown) | undefined;
  readonly fill: ((value: unknown) => unknown) | undefined;
}

const known = new WeakMap<MessageType, readonly Part[]>();

/**
 * The object as the reference writes it: fields that it always writes stand there with their zero
 * (`status: {loadBalancer: {}}`, `creationTimestamp: null` in a template, null for a pointer). What needs no change is shared with
 * the input. The inverse of what decoding drops: decoding the result gives the input again.
 */
export function complete(type: MessageType, object: JsonObject): JsonObject {
  let copy: Record<string, unknown> | undefined;
  for (const { name, zero, fill } of partsOf(type)) {
    const given = object[name];
    const value = given === undefined || given === null ? zero?.() : fill === undefined ? given : fill(given);
    if (value === given || value === undefined) continue;
    copy ??= { ...object };
    copy[name] = value;
  }
  return copy ?? object;
}

function partsOf(type: MessageType): readonly Part[] {
  let parts = known.get(type);
  if (parts === undefined) {
    // Of a custom resource the metadata alone is the server's.
    const fields = type.rules === undefined ? type.byName.values() : type.object ? metadataOf(type) : [];
    parts = [...fields].map(partOf).filter((p) => p.zero !== undefined || p.fill !== undefined);
    known.set(type, parts);
  }
  return parts;
}

function metadataOf(type: MessageType): readonly Field[] {
  const metadata = type.byName.get("metadata");
  return metadata === undefined ? [] : [metadata];
}

function partOf(field: Field): Part {
  return {
    name: field.name,
    zero: isTypeMeta(field) ? undefined : zeroOf(field),
    fill: !field.omitempty && isRepeated(field) ? filledOrNull(fillOf(field.type)) : fillOf(field.type),
  };
}

function isTypeMeta({ name, number }: Field): boolean {
  return number === undefined && (name === "kind" || name === "apiVersion");
}

/** What stands for an absent value; undefined where nothing is written. */
function zeroOf({ type, omitempty, pointer, check }: Field): (() => unknown) | undefined {
  // What must be named is refused where it is not: nothing stands for it.
  if (check?.present === true) return undefined;
  if (pointer) return omitempty ? undefined : () => null;
  switch (type.kind) {
    // Structs of the reference: written whether or not they may be left out.
    case "message":
      return () => complete(type, {});
    case "time":
    case "microTime":
    case "raw":
      return () => null;
    case "quantity":
      return () => "0";
    case "intOrString":
      return () => 0;
    case "duration":
      return () => "0s";
    default:
      return omitempty ? undefined : plainZeroOf(type);
  }
}

function plainZeroOf(type: Type): () => unknown {
  switch (type.kind) {
    case "string":
      return () => "";
    case "int32":
    case "int64":
    case "double":
      return () => 0;
    case "bool":
      return () => false;
    default:
      return () => null;
  }
}

function fillOf(type: Type): ((value: unknown) => unknown) | undefined {
  if (type.rules !== undefined) return undefined;
  switch (type.kind) {
    case "message":
      return (value) => (isObject(value) ? complete(type, value) : value);
    case "list": {
      const fill = fillOf(type.item);
      return fill === undefined ? undefined : (value) => (Array.isArray(value) ? filledList(value, fill) : value);
    }
    case "map": {
      const fill = fillOf(type.value);
      return fill === undefined ? undefined : (value) => (isObject(value) ? filledMap(value, fill) : value);
    }
    default:
      return undefined;
  }
}

function filledOrNull(fill: (value: unknown) => unknown = (value) => value): (value: unknown) => unknown {
  return (value) => (isZero(value) ? null : fill(value));
}

function filledList(list: readonly unknown[], fill: (value: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const value = fill(list[i]);
    if (value === list[i]) continue;
    copy ??= [...list];
    copy[i] = value;
  }
  return copy ?? list;
}

function filledMap(map: JsonObject, fill: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, fill(value)]));
}
