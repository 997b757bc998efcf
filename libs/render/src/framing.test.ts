import assert from "node:assert/strict";
import { test } from "node:test";
import { printCbor } from "@orch/codec/cbor/print.js";
import { encodeMessage } from "@orch/codec/protobuf/encode.js";
import { wrapObject } from "@orch/codec/protobuf/envelope.js";
import { isObject, type JsonObject, type MessageType } from "@orch/schema/descriptor.js";
import { encodings } from "./form.js";
import { framings, itemsSize, type ListFrame } from "./framing.js";
import { catalog } from "./testing/kinds.js";
import { createBodyReader } from "./testing/read-body.js";

const reader = createBodyReader(catalog);
const configMap = { apiVersion: "v1", kind: "ConfigMap" };

function typeOf(name: string): MessageType {
  const type = catalog.type(name);
  assert.ok(type, name);
  return type;
}
const mapType = typeOf("core/v1.ConfigMap");
const listMeta = typeOf("meta/v1.ListMeta");

function joined({ head, before, tail }: ListFrame, pieces: readonly Buffer[]): Buffer {
  return Buffer.concat([head, ...pieces.flatMap((piece, i) => [before(i, piece), piece]), tail]);
}

/** A body of each encoding whose bytes are written here by hand or by the codec at once. */
const tree = { metadata: { name: "a" }, data: { k: "é" } };
const documents = {
  json: Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"é"}}\n'),
  protobuf: wrapObject(configMap, encodeMessage(mapType, tree)),
  // In its tag, a map of 4; every text is a byte string.
  cbor: Buffer.concat([
    Buffer.from("d9d9f7a4", "hex"),
    ...["kind", "ConfigMap", "apiVersion", "v1"].map(cborBytes),
    cborBytes("data"),
    Buffer.from("a1416b42c3a9", "hex"),
    cborBytes("metadata"),
    Buffer.from("a1446e616d654161", "hex"),
  ]),
};

function cborBytes(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x40 + text.length]), Buffer.from(text)]);
}

for (const encoding of encodings) {
  const framing = framings[encoding];
  const piece = (of: JsonObject): Buffer => framing.piece(() => mapType, of);

  test(`${encoding}: a document is its type before its piece`, () => {
    const document = framing.document(configMap, piece(tree));
    assert.equal(document.toString("hex"), documents[encoding].toString("hex"));
    assert.deepEqual(reader.body(encoding, document)["data"], tree.data);
  });

  test(`${encoding}: a list has as many items as pieces, in their order`, () => {
    for (const count of [0, 1, 2, 23, 24, 255, 256, 70_000]) {
      const pieces = Array.from({ length: count }, (_, i) => piece({ metadata: { name: String(i) } }));
      const metadata = { resourceVersion: "7", continue: "more", remainingItemCount: 3 };
      const head = { typeMeta: { ...configMap, kind: "ConfigMapList" }, metadata, metadataType: () => listMeta };
      const { items, ...rest } = reader.body(encoding, joined(framing.list(head, itemsSize(framing, pieces)), pieces));
      // Protobuf has no empty lists, the others have no absent one.
      assert.equal(Array.isArray(items), count > 0 || encoding !== "protobuf");
      const shown = Array.isArray(items) ? items : [];
      assert.deepEqual(
        shown.map((item: { metadata: { name: string } }) => item.metadata.name),
        pieces.map((_, i) => String(i)),
      );
      assert.deepEqual(rest, { apiVersion: "v1", kind: "ConfigMapList", metadata });
    }
  });

  test(`${encoding}: an event is framed so that the next one can follow`, () => {
    const document = framing.document(configMap, piece(tree));
    for (const type of ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]) {
      const event = reader.event(encoding, framing.event(type, document));
      assert.deepEqual(event, { type, object: reader.body(encoding, document) });
    }
  });
}

test("a line of JSON is one event, a frame of Protobuf begins with its length, an item of CBOR with its tag", () => {
  const event = (encoding: "json" | "protobuf" | "cbor"): Buffer =>
    framings[encoding].event("ADDED", documents[encoding]);
  assert.equal(
    event("json").toString(),
    '{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"é"}}}\n',
  );
  assert.equal(event("json").indexOf("\n"), event("json").length - 1);
  const { length } = event("protobuf");
  assert.deepEqual(event("protobuf").subarray(0, 4), Buffer.from([0, 0, 0, length - 4]));
  assert.equal(
    event("protobuf").subarray(4).toString("hex"),
    Buffer.concat([
      Buffer.from("0a05", "hex"),
      Buffer.from("ADDED"),
      Buffer.from([0x12, documents.protobuf.length + 2, 0x0a, documents.protobuf.length]),
      documents.protobuf,
    ]).toString("hex"),
  );
  assert.equal(event("cbor").subarray(0, 4).toString("hex"), "d9d9f7a2");
  assert.ok(event("cbor").subarray(-documents.cbor.length).equals(documents.cbor), "the object keeps its own tag");
});

test("texts that JSON escapes are escaped in what stands around a piece too", () => {
  const typeMeta = { apiVersion: 'a"b/v1', kind: "K\\\n" };
  const document = framings.json.document(typeMeta, Buffer.from('"metadata":{}}'));
  assert.deepEqual(reader.body("json", document), { ...typeMeta, metadata: {} });
});

test("cbor: an object of any number of fields gets two more", () => {
  for (const count of [1, 20, 21, 22, 23, 24, 252, 253, 254, 255, 256, 65_533, 65_534, 65_535, 65_536, 70_000]) {
    const fields = Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i]));
    const piece = framings.cbor.piece(() => mapType, fields);
    const body = reader.body("cbor", framings.cbor.document(configMap, piece));
    assert.equal(Object.keys(body).length, count + 2, String(count));
    assert.equal(body[`f${count - 1}`], count - 1);
  }
});

test("cbor: a body has the shortest heads, as when it is printed at once", () => {
  for (const count of [0, 23, 24, 300]) {
    const items = Array.from({ length: count }, () => tree);
    const pieces = items.map((item) => framings.cbor.piece(() => mapType, item));
    const head = { typeMeta: { apiVersion: "v1", kind: "ConfigMapList" }, metadata: {}, metadataType: () => listMeta };
    const whole = printCbor({ ...head.typeMeta, metadata: {}, items }, { strings: "bytes" });
    assert.equal(joined(framings.cbor.list(head, itemsSize(framings.cbor, pieces)), pieces).length, whole.length);
    assert.ok(isObject(reader.body("cbor", whole)));
  }
});
