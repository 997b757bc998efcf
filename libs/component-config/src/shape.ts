import { isZero } from "@orch/schema/decode.js";
import {
  field,
  isObject,
  type JsonObject,
  type ListKind,
  type MessageType,
  message,
  type Type,
} from "@orch/schema/descriptor.js";

/**
 * A descriptor, and for the compiler alone what its values look like once they are decoded and defaulted: `T` is never
 * there at run time. Configuration kinds are written with these few words; every walk goes over the descriptor.
 */
export interface Shape<T> {
  readonly type: Type;
  readonly value?: T;
}

/** A kind, or a struct of one. */
export interface Struct<T> extends Shape<T> {
  readonly type: MessageType;
}

/**
 * A field's shape and default. Where a plain field has a default its zero means that default, as in the reference, whose
 * structs cannot tell zero from absence; without one its zero is the default. A {@link given} or {@link maybe} field keeps
 * its zero.
 */
export interface Member<T> extends Shape<T> {
  readonly default: unknown;
  /** Absence differs from zero. */
  readonly pointer: boolean;
}

/** What a shape's values look like. */
export type ValueOf<S> = S extends Shape<infer T> ? T : never;
/** What may be absent may be so in the value, too. */
export type Values<M extends Members> = {
  readonly [K in keyof M as undefined extends ValueOf<M[K]> ? never : K]: ValueOf<M[K]>;
} & { readonly [K in keyof M as undefined extends ValueOf<M[K]> ? K : never]?: Exclude<ValueOf<M[K]>, undefined> };
export type Members = Readonly<Record<string, Member<unknown>>>;

const plain = <T>(type: Type, value: T): Member<T> => ({ type, default: value, pointer: false });

export const text = (value = ""): Member<string> => plain({ kind: "string" }, value);
export const bool = (value = false): Member<boolean> => plain({ kind: "bool" }, value);
export const int32 = (value = 0): Member<number> => plain({ kind: "int32" }, value);
/** Of those that a number holds: the kinds have none that is larger. */
export const int64 = (value = 0): Member<number> => plain({ kind: "int64" }, value);
export const float = (value = 0): Member<number> => plain({ kind: "double" }, value);
/** `1m30s`, canonical after decoding. */
export const duration = (value = "0s"): Member<string> => plain({ kind: "duration" }, value);
export const bytes = (): Member<string> => plain({ kind: "bytes" }, "");
export const time = (): Member<string> => plain({ kind: "time" }, "");
/** Any JSON, kept as it came. */
export const raw = (): Member<unknown> => ({ type: { kind: "raw" }, default: undefined, pointer: true });

/** `value` is the default; its items have the defaults inside of them. */
export function list<T>(item: Shape<T>, value: readonly unknown[] = []): Member<readonly T[]> {
  return { type: listOf(item.type, "atomic", []), default: value, pointer: false };
}

/** A list whose items the named fields tell apart. */
export function keyedList<T>(item: Shape<T>, keys: readonly string[], value: readonly T[] = []): Member<readonly T[]> {
  return plain(listOf(item.type, "map", keys), value);
}

const listOf = (item: Type, listType: ListKind, keys: readonly string[]): Type => ({
  kind: "list",
  ...{ item, listType, keys, wrapped: false },
});

export const texts = (value: readonly string[] = []): Member<readonly string[]> => list(text(), value);

export function map<T>(value: Shape<T>): Member<Readonly<Record<string, T>>> {
  return plain<Readonly<Record<string, T>>>({ kind: "map", value: value.type, mapType: "granular" }, {});
}

/** A field that keeps its zero, and has its default where it is absent. */
export const given = <T>(member: Member<T>): Member<T> => ({ ...member, pointer: true });

/** A field that may stay absent. */
export const maybe = <T>(member: Member<T>): Member<T | undefined> => ({
  type: member.type,
  default: undefined,
  pointer: true,
});

/** A struct in another: always there, with its defaults inside. */
export const inside = <T>(of: Struct<T>): Member<T> => ({ type: of.type, default: {}, pointer: false });

/** A type of the catalog (`core/v1.Taint`), loaded when something of it is first decoded. */
export function borrowed<T>(name: string, load: () => MessageType | undefined): Struct<T> {
  return { type: message({ name, fields: () => load()?.fields ?? [] }) };
}

export function struct<M extends Members>(name: string, members: M): Struct<Values<M>> {
  return { type: message({ name, protobuf: false, fields: () => fieldsOf(members) }) };
}

/** A kind: it has `apiVersion` and `kind` beside its members, of which values do not tell. */
export function kind<M extends Members>(name: string, members: M): Struct<Values<M>> {
  return { type: message({ name, object: true, protobuf: false, fields: () => fieldsOf(members) }) };
}

const fieldsOf = (members: Members) =>
  Object.entries(members).map(([name, { type, default: value, pointer }]) =>
    field({ name, type, pointer, omitempty: type.kind !== "message" && !saysNothing(value), default: value }),
  );

const saysNothing = (value: unknown): boolean => isZero(value) || value === "0s";

/** The members of a struct with other defaults of some, those of structs inside of it too. */
export function withDefaults<T>(of: Struct<T>, defaults: JsonObject): Struct<T> {
  return { type: changed(of.type, defaults) };
}

function changed(type: MessageType, defaults: JsonObject): MessageType {
  const { name, object } = type;
  const own = type.fields.filter((f) => !(object && isTypeMeta(f.name)));
  return message({
    ...{ name, object, protobuf: false },
    fields: () =>
      own.map((f) => {
        const value = defaults[f.name];
        if (value === undefined) return f;
        if (f.type.kind !== "message") return field({ ...f, omitempty: !saysNothing(value), default: value });
        return field({ ...f, type: changed(f.type, isObject(value) ? value : {}), default: {} });
      }),
  });
}

export const isTypeMeta = (name: string): boolean => name === "apiVersion" || name === "kind";
