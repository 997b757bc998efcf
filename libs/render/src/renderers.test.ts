import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "@orch/api/catalog.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { scaleOf } from "@orch/api/scale.js";
import { arbitraryObject } from "@orch/api/testing/arbitrary.js";
import { asVersion, decodeObject } from "@orch/api/writes.js";
import { printCbor } from "@orch/codec/cbor/print.js";
import { parseJson } from "@orch/codec/json.js";
import { encodeMessage } from "@orch/codec/protobuf/encode.js";
import { watchEventFrame, wrapObject } from "@orch/codec/protobuf/envelope.js";
import type { JsonObject, MessageType } from "@orch/schema/descriptor.js";
import { jsonText } from "@orch/status/json-text.js";
import fc from "fast-check";
import { type Encoding, encodings, type Form, includeObjects, plainForm, transforms } from "./form.js";
import { itemsSize } from "./framing.js";
import type { ListMetadata, Renderer } from "./renderer.js";
import { createRenderers, scaleKindOf } from "./renderers.js";
import { allVersions, catalog, naming } from "./testing/kinds.js";
import { createBodyReader } from "./testing/read-body.js";

const renderers = createRenderers(catalog, naming.metaGroup);
const reader = createBodyReader(catalog);
const versions = allVersions();
const now = Date.parse("2026-01-02T03:04:05Z");
const listMetadata: ListMetadata = { resourceVersion: "42", continue: "next", remainingItemCount: 3 };

function kindOf(name: string): Kind {
  const kind = versions.get(name);
  assert.ok(kind, name);
  return kind;
}

function metaType(name: string): MessageType {
  const type = catalog.type(`meta/v1.${name}`);
  assert.ok(type, name);
  return type;
}

/** Objects that bodies can tell: a whole number of more than 64 bits is refused when it comes in. */
function objectsOf(type: MessageType): fc.Arbitrary<JsonObject> {
  return arbitraryObject(type).filter((tree) => parseJson(Buffer.from(jsonText(tree))).ok);
}

/** An object as it is stored, of a random one: named, and with what the reference always writes. */
function stored({ hub }: Kind, tree: JsonObject): AnyObject {
  const { metadata } = withMetadata(tree);
  const named = { ...tree, metadata: { ...metadata, name: "x", resourceVersion: "7" } };
  return { ...asVersion(hub, withMetadata(named)), kind: hub.kind, apiVersion: hub.apiVersion };
}

/** The same as a version has it, what a body is to say: a version without a conversion has what is stored. */
function shown(kind: Kind, hub: AnyObject): JsonObject {
  return kind.conversion === undefined ? hub : asVersion(kind, decodeObject(kind.hub, hub).object);
}

interface Whole {
  readonly typeMeta: { readonly kind: string; readonly apiVersion: string };
  readonly type: MessageType;
  readonly tree: JsonObject;
}

/** A whole body encoded at once, by the codec alone. */
const atOnce: Readonly<Record<Encoding, (whole: Whole) => Buffer>> = {
  json: ({ typeMeta, tree }) => Buffer.from(`${jsonText({ ...ordered(typeMeta), ...tree })}\n`),
  protobuf: ({ typeMeta, type, tree }) => wrapObject(typeMeta, encodeMessage(type, tree)),
  cbor: ({ typeMeta, tree }) => printCbor({ ...typeMeta, ...tree }, { strings: "bytes" }),
};

function ordered({ kind, apiVersion }: Whole["typeMeta"]): Whole["typeMeta"] {
  return { kind, apiVersion };
}

/** CBOR's entries may stand in another order, the others are the same bytes. */
function assertBody(encoding: Encoding, body: Buffer, whole: Whole): void {
  const expected = atOnce[encoding](whole);
  if (encoding !== "cbor") assert.equal(body.toString("latin1"), expected.toString("latin1"));
  assert.equal(body.length, expected.length);
  assert.deepEqual(reader.body(encoding, body), reader.body(encoding, expected));
}

function listBody(renderer: Renderer, metadata: ListMetadata, pieces: readonly Buffer[]): Buffer {
  const { head, before, tail } = renderer.list(metadata, itemsSize(renderer, pieces));
  return Buffer.concat([head, ...pieces.flatMap((piece, i) => [before(i, piece), piece]), tail]);
}

function without({ kind: _kind, apiVersion: _apiVersion, ...rest }: JsonObject): JsonObject {
  return rest;
}

test("the catalog has versions of every sort: stored, named differently, converted", () => {
  const all = [...versions.values()];
  assert.ok(all.length > 100);
  assert.ok(all.some((k) => k.hub !== k && k.conversion === undefined));
  assert.ok(all.some((k) => k.hub !== k && k.conversion !== undefined));
});

for (const [name, kind] of versions) {
  test(`${name} is in pieces what it is at once, in every encoding`, () => {
    const { apiVersion, listKind } = kind;
    const objects = fc.array(objectsOf(kind.hub.type), { maxLength: 3 });
    fc.assert(
      fc.property(objects, (trees) => {
        const hubs = trees.map((tree) => stored(kind, tree));
        const items = hubs.map((hub) => without(shown(kind, hub)));
        for (const encoding of encodings) {
          const renderer = renderers.of(kind, { ...plainForm, encoding }, "");
          const pieces = hubs.map((hub) => renderer.piece(hub).at(now));
          for (const [i, tree] of items.entries()) {
            const document = renderer.document(pieces[i] ?? Buffer.alloc(0), "7");
            assertBody(encoding, document, { typeMeta: { apiVersion, kind: kind.kind }, type: kind.type, tree });
          }
          assertBody(encoding, listBody(renderer, listMetadata, pieces), {
            typeMeta: { apiVersion, kind: listKind },
            type: kind.listType,
            tree: { metadata: listMetadata, items },
          });
        }
      }),
      { numRuns: 5 },
    );
  });
}

for (const [name, kind] of versions) {
  if (kind.hub === kind || kind.conversion !== undefined) continue;
  const property = fc.property(objectsOf(kind.hub.type), (tree) => {
    const hub = stored(kind, tree);
    assert.deepEqual(without(asVersion(kind, decodeObject(kind.hub, hub).object)), without(hub));
  });
  test(`${name} writes what the stored version writes`, () => fc.assert(property, { numRuns: 10 }));
}

test("objects as their metadata are in pieces what they are at once, in every encoding and version of the form", () => {
  const pods = kindOf("v1.Pod");
  fc.assert(
    fc.property(fc.array(objectsOf(pods.type), { maxLength: 3 }), (trees) => {
      const hubs = trees.map((tree) => stored(pods, tree));
      const items = hubs.map(({ metadata }) => ({ metadata }));
      for (const encoding of encodings) {
        for (const metaVersion of ["v1", "v1beta1"]) {
          const apiVersion = `${naming.metaGroup}/${metaVersion}`;
          const renderer = renderers.of(pods, { ...plainForm, encoding, as: "PartialObjectMetadata", metaVersion }, "");
          // Items say what they are but in Protobuf, whose message has no place for it.
          const named = items.map((item) => ({ kind: "PartialObjectMetadata", apiVersion, ...item }));
          const pieces = hubs.map((hub) => renderer.piece(hub).at(now));
          for (const [i, tree] of items.entries()) {
            assertBody(encoding, renderer.document(pieces[i] ?? Buffer.alloc(0), "7"), {
              typeMeta: { apiVersion, kind: "PartialObjectMetadata" },
              type: metaType("PartialObjectMetadata"),
              tree,
            });
          }
          assertBody(encoding, listBody(renderer, { resourceVersion: "42" }, pieces), {
            typeMeta: { apiVersion, kind: "PartialObjectMetadataList" },
            type: metaType("PartialObjectMetadataList"),
            tree: { metadata: { resourceVersion: "42" }, items: encoding === "protobuf" ? items : named },
          });
        }
      }
    }),
    { numRuns: 20 },
  );
});

test("scales of stored objects are in pieces what they are at once, in every encoding and version of Scale", () => {
  const scaled = ["apps/v1.Deployment", "apps/v1.StatefulSet", "v1.ReplicationController"].map(kindOf);
  for (const kind of scaled) {
    const scale = scaleKindOf(catalog, kind);
    fc.assert(
      fc.property(objectsOf(kind.hub.type), (tree) => {
        const hub = stored(kind, tree);
        const whole = scaleOf(kind.hub, hub, scale.apiVersion);
        const meant = scaleOf(kind.hub, decodeObject(kind.hub, hub).object, scale.apiVersion);
        assert.deepEqual(decodeObject(scale, whole), decodeObject(scale, meant), "nulls and zeros mean nothing");
        for (const encoding of encodings) {
          const renderer = renderers.of(kind, { ...plainForm, encoding }, "scale");
          assertBody(encoding, renderer.document(renderer.piece(hub).at(now), "7"), {
            typeMeta: { apiVersion: "autoscaling/v1", kind: "Scale" },
            type: scale.type,
            tree: without(whole),
          });
        }
      }),
      { numRuns: 20 },
    );
  }
});

const status = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "too old resource version: 1 (9)",
  reason: "Expired",
  code: 410,
};

for (const encoding of encodings) {
  for (const as of ["Object", "PartialObjectMetadata"] as const) {
    const renderer = renderers.of(kindOf("discovery.orch/v1beta1.EndpointSlice"), { ...plainForm, encoding, as }, "");
    const typeMeta =
      as === "Object"
        ? { kind: "EndpointSlice", apiVersion: "discovery.orch/v1beta1" }
        : { kind: as, apiVersion: "meta.orch/v1" };

    test(`${encoding} ${as}: a bookmark is of the objects' type and tells a version`, () => {
      const annotations = { [naming.initialEventsEnd]: "true" };
      for (const metadata of [{ resourceVersion: "9" }, { resourceVersion: "9", annotations }]) {
        const { type, object } = reader.event(encoding, renderer.bookmark(metadata));
        assert.equal(type, "BOOKMARK");
        assert.deepEqual({ kind: object["kind"], apiVersion: object["apiVersion"] }, typeMeta);
        assert.deepEqual(object["metadata"], metadata);
      }
    });

    test(`${encoding} ${as}: a Status is an event of its own or a body, of the core group's v1`, () => {
      const { type, object } = reader.event(encoding, renderer.error(status));
      assert.equal(type, "ERROR");
      assert.deepEqual(object, status);
      assertBody(encoding, renderer.status(status), {
        typeMeta: { kind: "Status", apiVersion: "v1" },
        type: metaType("Status"),
        tree: without(status),
      });
    });
  }
}

test("protobuf: an event is the codec's frame around the document", () => {
  const renderer = renderers.of(kindOf("v1.ConfigMap"), { ...plainForm, encoding: "protobuf" }, "");
  const document = renderer.document(renderer.piece({ metadata: { name: "a" } }).at(now), "1");
  assert.deepEqual(renderer.event("ADDED", document), watchEventFrame("ADDED", document));
});

test("what only one version has is there in that version, and nothing of another", () => {
  const hub = {
    kind: "EndpointSlice",
    apiVersion: "discovery.orch/v1",
    metadata: { name: "a", namespace: "n", resourceVersion: "7" },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"], nodeName: "n1", zone: "z1" }],
    ports: null,
  };
  const body = (version: string, encoding: Encoding): JsonObject => {
    const renderer = renderers.of(kindOf(`discovery.orch/${version}.EndpointSlice`), { ...plainForm, encoding }, "");
    return reader.body(encoding, renderer.document(renderer.piece(hub).at(now), "7"));
  };
  for (const encoding of encodings) {
    const [own] = Object(body("v1", encoding)["endpoints"]);
    const [old] = Object(body("v1beta1", encoding)["endpoints"]);
    assert.deepEqual([own.zone, own.nodeName, own.topology], ["z1", "n1", undefined], encoding);
    assert.deepEqual([old.zone, old.topology[naming.word("topology.orch/zone")]], [undefined, "z1"], encoding);
  }
});

test("the same kind and form have one renderer, others have another", () => {
  const forms: Form[] = encodings.flatMap((encoding) =>
    transforms.flatMap((as) =>
      (as === "Table" ? includeObjects : (["Metadata"] as const)).map(
        (includeObject): Form => ({ ...plainForm, encoding, as, includeObject }),
      ),
    ),
  );
  const kinds = [kindOf("v1.Pod"), kindOf("batch/v1.CronJob"), kindOf("batch/v1beta1.CronJob")];
  const made = kinds.flatMap((kind) => forms.map((form) => renderers.of(kind, form, "")));
  assert.equal(new Set(made).size, made.length);
  const again = kinds.flatMap((kind) => forms.map((form) => renderers.of(kind, { ...form }, "")));
  assert.ok(again.every((renderer, i) => renderer === made[i]));
  assert.equal(renderers.of(kindOf("v1.Pod"), { ...plainForm, includeObject: "None" }, ""), made[0]);
});

test("a piece is made once and tells about how large it is", () => {
  for (const encoding of encodings) {
    const piece = renderers.of(kindOf("v1.ConfigMap"), { ...plainForm, encoding }, "").piece({
      metadata: { name: "a" },
      data: { k: "x".repeat(5000) },
    });
    assert.equal(piece.at(now), piece.at(now + 1e9));
    assert.ok(piece.size > 5000 && piece.size < 6000, `${piece.size}`);
  }
});
