import { isObject, type JsonObject, type MessageType, message, type Type } from "@orch/schema/descriptor.js";

/** A type whose fields have other names: those of a dialect. Types of the catalog have the same names in both. */
export function renamedType(type: MessageType, word: (name: string) => string): MessageType {
  const known = new Map<MessageType, MessageType>();
  const renamed = (t: Type): Type => {
    switch (t.kind) {
      case "message":
        return messageOf(t);
      case "list":
        return { ...t, item: renamed(t.item) };
      case "map":
        return { ...t, value: renamed(t.value) };
      default:
        return t;
    }
  };
  const messageOf = (of: MessageType): MessageType => {
    const found = known.get(of);
    if (found !== undefined) return found;
    const made = message({
      ...{ name: of.name, protobuf: false, unknown: of.unknown },
      fields: () => of.fields.map((f) => ({ ...f, name: word(f.name), type: renamed(f.type) })),
    });
    known.set(of, made);
    return made;
  };
  return messageOf(type);
}

/** The value of a type with its fields renamed, in the type's order; `from` names them as they stand in it. */
export function renamedValue(
  type: MessageType,
  value: JsonObject,
  words: { readonly from: (name: string) => string; readonly to: (name: string) => string },
): JsonObject {
  const below = (t: Type, v: unknown): unknown => {
    if (t.kind === "message" && isObject(v)) return renamedValue(t, v, words);
    if (t.kind === "list" && Array.isArray(v)) return v.map((item: unknown) => below(t.item, item));
    if (t.kind !== "map" || !isObject(v)) return v;
    return Object.fromEntries(Object.entries(v).map(([key, item]) => [key, below(t.value, item)]));
  };
  return Object.fromEntries(
    [...type.byName.values()].flatMap((f) => {
      const name = words.from(f.name);
      return value[name] === undefined ? [] : [[words.to(f.name), below(f.type, value[name])]];
    }),
  );
}
