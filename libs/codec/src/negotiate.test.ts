import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { createNegotiator, objectOffers } from "./negotiate.js";

const negotiator = createNegotiator(objectOffers);

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
