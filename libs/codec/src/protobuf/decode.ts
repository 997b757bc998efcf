import { hasShape, isZero, setOwn } from "@orch/schema/decode.js";
import {
  type EitherType,
  type Field,
  field,
  isObject,
  type JsonObject,
  type MessageType,
  type Type,
} from "@orch/schema/descriptor.js";
import {
  enter,
  expectWire,
  leave,
  numberOf,
  type Reader,
  readerOf,
  readLength,
  readTag,
  readText,
  skip,
  wireOf,
} from "./reader.js";
import { scalarReader, type ValueReader } from "./values.js";
import { wellKnown, wireType } from "./wire.js";

/**
 * A Protobuf message as the tree that `decode` gives for the JSON which the reference writes of the same object:
 * what is no pointer is there even where it did not come (a zero that JSON shows, an empty message), zeros that mean
 * absence are not. Unknown fields are passed over; repeated occurrences merge, the last scalar wins.
 *
 * @throws DecodeError for bytes that are not this type's, and for values that the type refuses
 */
export function decodeMessage(type: MessageType, bytes: Buffer): JsonObject {
  const tree: Tree = {};
  const message = messageReader(type);
  message.read(readerOf(bytes), bytes.length, tree);
  message.complete(tree);
  return tree;
}

type Tree = Record<string, unknown>;
/** Reads one occurrence of a field into its message. */
type ReadField = (r: Reader, wire: number, tree: Tree) => void;
type Complete = (tree: Tree) => void;

interface MessageReader {
  /** Adds the fields between the position and `end` to the tree. */
  read(r: Reader, end: number, tree: Tree): void;
  /** Adds the absent fields that JSON would show. */
  readonly complete: Complete;
}

const compiled = new WeakMap<MessageType, MessageReader>();

function messageReader(type: MessageType): MessageReader {
  let reader = compiled.get(type);
  if (reader === undefined) {
    if (!type.protobuf) throw new TypeError(`${type.name} has no Protobuf form`);
    reader = compile(type.name, type.fields);
    compiled.set(type, reader);
  }
  return reader;
}

function compile(name: string, fields: readonly Field[]): MessageReader {
  const byNumber: (ReadField | undefined)[] = [];
  const completions: Complete[] = [];
  for (const f of fields) {
    if (f.number === undefined) continue;
    byNumber[f.number] = fieldReader(`${name}.${f.protoName}`, f);
    const completion = completionOf(f);
    if (completion !== undefined) completions.push(completion);
  }
  return {
    read(r, end, tree) {
      const outer = enter(r, end);
      while (r.at < end) {
        const tag = readTag(r);
        const read = byNumber[numberOf(tag)];
        if (read === undefined) skip(r, wireOf(tag));
        else read(r, wireOf(tag), tree);
      }
      leave(r, outer);
    },
    complete(tree) {
      for (const complete of completions) complete(tree);
    },
  };
}

/** For messages and for scalars that JSON always shows; other fields are absent when they are zero. */
function completionOf(f: Field): Complete | undefined {
  const { name, type } = f;
  if (f.pointer) return undefined;
  if (type.kind === "message" && f.inline) {
    const message = lazily(() => messageReader(type));
    return (tree) => message().complete(tree);
  }
  if (f.check?.present === true) {
    return (tree) => {
      tree[name] ??= [];
    };
  }
  if (f.dropsZero || type.kind === "list" || type.kind === "map" || type.kind === "bytes") return undefined;
  const { zero } = valueReader(f.name, type);
  return (tree) => {
    if (tree[name] !== undefined) return;
    const value = zero();
    if (value !== undefined) tree[name] = value;
  };
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function fieldReader(where: string, f: Field): ReadField {
  const { name, type, dropsZero } = f;
  if (type.kind === "message" && f.inline) return inlineField(where, type);
  if (type.kind === "list" && !type.wrapped) return listField(where, name, valueReader(where, type.item));
  if (type.kind === "map") return mapField(where, name, valueReader(where, type.value));
  const value = valueReader(where, type);
  return (r, wire, tree) => {
    expectWire(where, wire, value.wire);
    const read = value.read(r, tree[name]);
    if (read !== undefined && !(dropsZero && isZero(read))) tree[name] = read;
    else if (tree[name] !== undefined) delete tree[name];
  };
}

function inlineField(where: string, type: MessageType): ReadField {
  const message = lazily(() => messageReader(type));
  return (r, wire, tree) => {
    expectWire(where, wire, wireType.delimited);
    message().read(r, readLength(r), tree);
  };
}

function listField(where: string, name: string, item: ValueReader): ReadField {
  return (r, wire, tree) => {
    const known = tree[name];
    const list: unknown[] = Array.isArray(known) ? known : [];
    if (known === undefined) tree[name] = list;
    if (wire !== wireType.delimited || item.wire === wireType.delimited) {
      expectWire(where, wire, item.wire);
      list.push(item.read(r, undefined) ?? null);
      return;
    }
    // Numbers may come packed: all of them behind one tag.
    const outer = enter(r, readLength(r));
    while (r.at < r.end) list.push(item.read(r, undefined));
    leave(r, outer);
  };
}

function mapField(where: string, name: string, value: ValueReader): ReadField {
  return (r, wire, tree) => {
    expectWire(where, wire, wireType.delimited);
    const known = tree[name];
    const map: Tree = isObject(known) ? known : {};
    if (known === undefined) tree[name] = map;
    const outer = enter(r, readLength(r));
    let key = "";
    let item: unknown;
    while (r.at < r.end) {
      const tag = readTag(r);
      if (numberOf(tag) === wellKnown.key) {
        expectWire(where, wireOf(tag), wireType.delimited);
        key = readText(r, readLength(r));
      } else if (numberOf(tag) === wellKnown.value) {
        expectWire(where, wireOf(tag), value.wire);
        item = value.read(r, undefined);
      } else skip(r, wireOf(tag));
    }
    leave(r, outer);
    setOwn(map, key, item ?? value.zero() ?? null);
  };
}

/** Reads a value that is neither a plain list nor a map, in a field, a list or a map. */
function valueReader(where: string, type: Type): ValueReader {
  switch (type.kind) {
    case "message":
      return messageValue(type);
    case "list":
      return wrappedValue(where, type.item);
    case "map":
      throw new TypeError(`${where}: a map has no Protobuf form but as a field`);
    case "either":
      return eitherValue(where, type);
    default:
      return scalarReader(where, type.kind);
  }
}

function messageValue(type: MessageType): ValueReader {
  const message = lazily(() => messageReader(type));
  return {
    wire: wireType.delimited,
    read(r, known) {
      const tree: Tree = isObject(known) ? known : {};
      message().read(r, readLength(r), tree);
      message().complete(tree);
      return tree;
    },
    zero() {
      const tree: Tree = {};
      message().complete(tree);
      return tree;
    },
  };
}

/** A list with a type of its own: a message that is present is a list, even an empty one. */
function wrappedValue(where: string, item: Type): ValueReader {
  const message = compile(where, [
    field({
      name: "items",
      number: wellKnown.items,
      type: { kind: "list", item, listType: "atomic", keys: [], wrapped: false },
    }),
  ]);
  return {
    wire: wireType.delimited,
    read(r, known) {
      const items: unknown[] = Array.isArray(known) ? known : [];
      message.read(r, readLength(r), { items });
      return items;
    },
    zero: () => undefined,
  };
}

/** The alternative that says most: a list or a message before a flag. */
function eitherValue(where: string, type: EitherType): ValueReader {
  const alternatives = [...type.alternatives]
    .map(({ number, type: form }) => ({ form, name: String(number), number }))
    .sort((a, b) => weight(a.form) - weight(b.form));
  const message = lazily(() =>
    compile(
      where,
      alternatives.map(({ name, number, form }) => field({ name, number, type: form, pointer: form.kind !== "bool" })),
    ),
  );
  const chosen = (tree: Tree): unknown => {
    message().complete(tree);
    return alternatives.map(({ name }) => tree[name]).find((value) => value !== undefined);
  };
  return {
    wire: wireType.delimited,
    read(r, known) {
      const tree: Tree = {};
      const before = alternatives.find(({ form }) => known !== undefined && hasShape(form, known));
      if (before !== undefined) tree[before.name] = known;
      message().read(r, readLength(r), tree);
      return chosen(tree);
    },
    zero: () => chosen({}),
  };
}

function weight(type: Type): number {
  return type.kind === "list" ? 0 : type.kind === "bool" ? 2 : 1;
}
