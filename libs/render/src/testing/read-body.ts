import assert from "node:assert/strict";
import type { Catalog } from "@orch/api/catalog.js";
import { parseCbor } from "@orch/codec/cbor/parse.js";
import type { Decoded } from "@orch/codec/decoded.js";
import { parseJson } from "@orch/codec/json.js";
import { parseProtobuf, unwrapObject } from "@orch/codec/protobuf/envelope.js";
import { numberOf, readerOf, readLength, readTag, readText } from "@orch/codec/protobuf/reader.js";
import { isObject, type JsonObject, type MessageType } from "@orch/schema/descriptor.js";
import type { Encoding } from "../form.js";

export interface ReadEvent {
  readonly type: string;
  readonly object: JsonObject;
}

/** Reads what renderers write, as a client does: each body by its codec, in full, without a key twice. */
export interface BodyReader {
  body(encoding: Encoding, bytes: Buffer): JsonObject;
  /** Exactly one event of a watch. */
  event(encoding: Encoding, frame: Buffer): ReadEvent;
}

export function createBodyReader(catalog: Catalog): BodyReader {
  const body = (encoding: Encoding, bytes: Buffer): JsonObject => {
    if (encoding !== "protobuf") return treeOf(encoding === "cbor" ? parseCbor(bytes) : parseJson(bytes));
    const unwrapped = unwrapObject(bytes);
    assert.ok(unwrapped.ok, "no envelope");
    return treeOf(parseProtobuf(typeOf(catalog, unwrapped.typeMeta), bytes));
  };
  return {
    body,
    event(encoding, frame) {
      if (encoding !== "protobuf") return eventOf(body(encoding, frame));
      assert.equal(frame.readUInt32BE(0), frame.length - 4, "the length before the event");
      const { type, object } = readWatchEvent(frame.subarray(4));
      return { type, object: body(encoding, object) };
    },
  };
}

function treeOf(read: Decoded): JsonObject {
  assert.ok(read.ok, "not readable");
  assert.deepEqual(read.duplicates, []);
  assert.ok(isObject(read.value));
  return read.value;
}

function typeOf(catalog: Catalog, { apiVersion, kind }: { apiVersion: string; kind: string }): MessageType {
  const meta = catalog.type(`meta/v1.${kind}`);
  const item = catalog.kind(apiVersion, kind.replace(/List$/, ""));
  const own = item?.kind === kind ? item.type : item?.listType;
  const type = meta ?? own;
  assert.ok(type, `no type for ${apiVersion} ${kind}`);
  return type;
}

function eventOf({ type, object, ...more }: JsonObject): ReadEvent {
  assert.deepEqual(more, {});
  assert.ok(typeof type === "string" && isObject(object));
  return { type, object };
}

/** WatchEvent { type = 1, object = 2 { raw = 1 } }, each once. */
function readWatchEvent(bytes: Buffer): { readonly type: string; readonly object: Buffer } {
  const r = readerOf(bytes);
  const field = (number: number): number => {
    assert.equal(numberOf(readTag(r)), number);
    return readLength(r);
  };
  const type = readText(r, field(1));
  assert.equal(field(2), bytes.length);
  assert.equal(field(1), bytes.length);
  return { type, object: bytes.subarray(r.at) };
}
