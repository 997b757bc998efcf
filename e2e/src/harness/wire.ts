import { parseCbor } from "@orch/codec/cbor/parse.js";
import { printCbor } from "@orch/codec/cbor/print.js";
import type { Decoded } from "@orch/codec/decoded.js";
import { parseJson } from "@orch/codec/json.js";
import { type ObjectFormat, objectOffers } from "@orch/codec/negotiate.js";
import { encodeMessage } from "@orch/codec/protobuf/encode.js";
import { parseProtobuf, wrapObject } from "@orch/codec/protobuf/envelope.js";
import { parseYaml, printYaml } from "@orch/codec/yaml/yaml.js";
import type { Naming } from "@orch/naming/naming.js";
import { decode } from "@orch/schema/decode.js";
import { isObject, type JsonObject, type MessageType, type Type } from "@orch/schema/descriptor.js";

export const encodings: readonly ObjectFormat[] = ["json", "yaml", "protobuf", "cbor"];

/** The media type of each encoding. */
export function mediaTypesOf(naming: Naming): Readonly<Record<ObjectFormat, string>> {
  const [json, yaml, protobuf, cbor] = encodings.map(
    (format) => objectOffers(naming, { cbor: true }).find((o) => o.format === format)?.mediaType ?? "",
  );
  return { json: json ?? "", yaml: yaml ?? "", protobuf: protobuf ?? "", cbor: cbor ?? "" };
}

/** An object that names its kind, as a body. */
export function encode(encoding: ObjectFormat, type: MessageType, object: JsonObject): Buffer {
  switch (encoding) {
    case "json":
      return Buffer.from(JSON.stringify(object));
    case "yaml":
      return Buffer.from(printYaml(object));
    case "cbor":
      return printCbor(object);
    case "protobuf": {
      const typeMeta = { apiVersion: String(object["apiVersion"]), kind: String(object["kind"]) };
      return wrapObject(typeMeta, encodeMessage(type, decode(type, object).value));
    }
  }
}

/** A body as a tree that can be compared with {@link comparable}. @throws Error when it cannot be read */
export function read(encoding: ObjectFormat, type: MessageType, bytes: Buffer): JsonObject {
  const decoded = parse(encoding, type, bytes);
  if (decoded.ok && isObject(decoded.value)) return decoded.value;
  throw new Error(`no object in ${encoding}: ${decoded.ok ? "" : decoded.problem} ${bytes.toString("latin1")}`);
}

function parse(encoding: ObjectFormat, type: MessageType, bytes: Buffer): Decoded {
  switch (encoding) {
    case "json":
      return parseJson(bytes);
    case "yaml":
      return parseYaml(bytes);
    case "cbor":
      return parseCbor(bytes);
    case "protobuf":
      return parseProtobuf(type, bytes);
  }
}

/**
 * What {@link read} gives for another encoding of an object that was read as JSON. Protobuf has no empty fields, and
 * of what an object embeds not its kind.
 */
export function comparable(encoding: ObjectFormat, type: MessageType, json: JsonObject): JsonObject {
  if (encoding !== "protobuf") return json;
  const { apiVersion, kind, ...rest } = decode(type, json).value;
  return { apiVersion, kind, ...withoutUnnumbered(type, rest) };
}

function withoutUnnumbered(type: MessageType, tree: JsonObject): JsonObject {
  const entries = Object.entries(tree).flatMap(([name, value]) => {
    const found = type.byName.get(name);
    return found?.number === undefined ? [] : [[name, inner(found.type, value)] as const];
  });
  return Object.fromEntries(entries);
}

function inner(type: Type, value: unknown): unknown {
  if (type.kind === "message" && isObject(value)) return withoutUnnumbered(type, value);
  if (type.kind === "list" && Array.isArray(value)) return value.map((item: unknown) => inner(type.item, item));
  return value;
}
