import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import {
  createNegotiator,
  discoveryTransforms,
  type Negotiator,
  objectOffers,
  objectTransforms,
  textOffers,
} from "./negotiate.js";

const negotiator = createNegotiator(textOffers);

function accepted(header: string | undefined): string {
  try {
    const { offer, pretty } = negotiator.accept(header);
    return pretty ? `${offer.format} pretty` : offer.format;
  } catch (error) {
    return ApiError.from(error).reason;
  }
}

test("Accept lists are answered with the first representation that is served", () => {
  const table = (naming: { metaGroup: string }) => `application/json;as=Table;g=${naming.metaGroup};v=v1`;
  const rows: (readonly [string | undefined, string])[] = [
    [undefined, "json"],
    ["", "json"],
    ["*/*", "json"],
    ["application/*", "json"],
    ["application/json", "json"],
    ["APPLICATION/JSON", "json"],
    ["application/yaml", "yaml"],
    ["application/yaml, */*", "yaml"],
    ["*/*, application/yaml", "yaml"],
    ["application/json;q=0.5, application/yaml", "yaml"],
    ["application/json;q=0.5,application/yaml;q=0.25", "json"],
    ["application/json;q=0, application/yaml;q=0.1", "yaml"],
    ["application/json;q=high, application/yaml;q=0.1", "yaml"],
    ["application/json; charset=utf-8; stream=watch", "json"],
    ["application/json;stream=other, application/yaml", "yaml"],
    ["application/yaml;stream=watch, application/json", "json"],
    ["application/json;pretty=1", "json pretty"],
    ['application/json;x="a,b;c\\"", image/png', "json"],
    ["image/png, application/yaml", "yaml"],
    ["image/png", "NotAcceptable"],
    ["*/json", "NotAcceptable"],
    ["json", "NotAcceptable"],
    ["application/json/x", "NotAcceptable"],
    [",;,=;", "NotAcceptable"],
    ["application/json;q=0", "NotAcceptable"],
  ];
  for (const dialect of dialects) {
    const naming = createNaming(dialect);
    rows.push(
      [`${naming.protobufMediaType}, application/json`, "json"],
      [naming.protobufMediaType, "NotAcceptable"],
      [`${table(naming)}, application/json`, "json"],
      [`${table(naming)}, application/yaml;q=0.2, application/json;q=0.1`, "yaml"],
      [table(naming), "NotAcceptable"],
      [`application/json;as=PartialObjectMetadata;g=${naming.metaGroup};v=v1`, "NotAcceptable"],
      ["application/json;g=x, application/yaml", "yaml"],
    );
  }
  for (const [header, answer] of rows) {
    assert.equal(accepted(header), answer, header);
    assert.equal(accepted(header), answer, `${header} remembered`);
  }
});

test("nothing acceptable answers 406 with what there is", () => {
  assert.throws(
    () => negotiator.accept("image/png"),
    (error: unknown) =>
      error instanceof ApiError &&
      error.code === 406 &&
      error.message === "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml",
  );
});

test("Content-Type finds the decoder, whatever its parameters", () => {
  const rows: readonly (readonly [string | undefined, string])[] = [
    [undefined, "json"],
    ["", "json"],
    ["application/json; charset=utf-8", "json"],
    ["Application/YAML", "yaml"],
    ["image/png", "UnsupportedMediaType"],
    ["*/*", "UnsupportedMediaType"],
    ["application/json, application/yaml", "UnsupportedMediaType"],
  ];
  for (const [header, answer] of rows) {
    let got: string;
    try {
      got = negotiator.contentType(header).format;
    } catch (error) {
      got = ApiError.from(error).reason;
    }
    assert.equal(got, answer, header);
  }
});

test("ever new headers do not grow the memory of answers into mistakes", () => {
  for (let i = 0; i < 1000; i++) assert.equal(accepted(`application/yaml;n=${i}`), "yaml");
  assert.equal(accepted("image/png"), "NotAcceptable");
});

function shown(negotiator: Negotiator, header: string): string {
  try {
    const { offer, transform } = negotiator.accept(header);
    return transform === undefined ? offer.format : `${offer.format} as ${transform.as} ${transform.version}`;
  } catch (error) {
    return ApiError.from(error).reason;
  }
}

for (const dialect of dialects) {
  const naming = createNaming(dialect);
  const resources = createNegotiator(objectOffers(naming, { cbor: true }), objectTransforms(naming));
  const as = (kind: string, version = "v1") => `as=${kind};g=${naming.metaGroup};v=${version}`;
  const protobuf = naming.protobufMediaType;

  test(`transforms are chosen where they are allowed, else the clause is passed over (${dialect})`, () => {
    const rows: readonly (readonly [string, string])[] = [
      [protobuf, "protobuf"],
      [`${protobuf}, application/json`, "protobuf"],
      ["application/cbor", "cbor"],
      [`application/json;${as("Table")}`, "json as Table v1"],
      [`application/json;${as("Table", "v1beta1")}`, "json as Table v1beta1"],
      [`application/json;${as("Table", "v2")}`, "NotAcceptable"],
      [`application/json;${as("Table", "v2")}, application/json;${as("Table")}, application/json`, "json as Table v1"],
      [`application/yaml;${as("Table")}`, "yaml as Table v1"],
      [`${protobuf};${as("Table")}, application/json`, "json"],
      [`application/cbor;${as("Table")}, */*`, "json"],
      [`*/*;${as("Table")}`, "json as Table v1"],
      [`${protobuf};${as("PartialObjectMetadata")}`, "protobuf as PartialObjectMetadata v1"],
      [`application/cbor;${as("PartialObjectMetadataList", "v1beta1")}`, "cbor as PartialObjectMetadataList v1beta1"],
      [`application/json;${as("table")}, application/yaml`, "yaml"],
      ["application/json;as=Table;g=other;v=v1, application/yaml", "yaml"],
      ["application/json;as=Table;v=v1, application/yaml", "yaml"],
      ["application/json;v=v1, application/yaml", "yaml"],
      [`application/json;${as("Table")};q=0.5, application/yaml;q=0.9`, "yaml"],
    ];
    for (const [header, answer] of rows) {
      assert.equal(shown(resources, header), answer, header);
      assert.equal(shown(resources, header), answer, `${header} remembered`);
    }
  });

  test(`discovery is asked for as one list (${dialect})`, () => {
    const discovery = createNegotiator(objectOffers(naming, { cbor: false }), discoveryTransforms(naming));
    const wish = (version: string) =>
      `application/json;as=APIGroupDiscoveryList;g=${naming.group("apidiscovery")};v=${version}`;
    assert.equal(
      shown(discovery, `${wish("v2")},${wish("v2beta1")},application/json`),
      "json as APIGroupDiscoveryList v2",
    );
    assert.equal(shown(discovery, `${wish("v3")},${wish("v2beta1")}`), "json as APIGroupDiscoveryList v2beta1");
    assert.equal(shown(discovery, `application/json;${as("Table")}`), "NotAcceptable");
    assert.equal(shown(discovery, "application/cbor"), "NotAcceptable");
  });

  test(`a watch answers with the media type of its stream (${dialect})`, () => {
    const rows: readonly (readonly [string | undefined, string])[] = [
      [undefined, "application/json"],
      ["*/*", "application/json"],
      ["application/json;stream=watch", "application/json"],
      [protobuf, `${protobuf};stream=watch`],
      [`${protobuf};stream=watch`, `${protobuf};stream=watch`],
      ["application/cbor", "application/cbor-seq"],
      [`${protobuf};${as("PartialObjectMetadata")}`, `${protobuf};stream=watch`],
    ];
    for (const [header, mediaType] of rows) assert.equal(resources.acceptStream(header).stream, mediaType, header);
    for (const header of ["application/yaml", "application/yaml, application/json", "image/png"]) {
      assert.throws(
        () => resources.acceptStream(header),
        (error: unknown) =>
          error instanceof ApiError &&
          error.message ===
            `406: Not Acceptable\n\nAvailable representations: application/json, ${protobuf}, application/cbor`,
        header,
      );
    }
  });

  test(`what is offered stands in the order in which it is listed (${dialect})`, () => {
    assert.deepEqual(
      objectOffers(naming, { cbor: false }).map((o) => o.mediaType),
      ["application/json", "application/yaml", protobuf],
    );
  });
}
