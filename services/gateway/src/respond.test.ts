import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { parseCbor } from "@orch/codec/cbor/parse.js";
import type { ObjectFormat } from "@orch/codec/negotiate.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { createNaming } from "@orch/naming/naming.js";
import { createBodyReader } from "@orch/render/testing/read-body.js";
import { createPacer } from "@orch/rpc/pacer.js";
import { ApiError, badRequest, unauthorized } from "@orch/status/api-error.js";
import type { HttpResponse } from "./http/response.js";
import { createLayouts } from "./layout/layouts.js";
import { plainJson, type Representation } from "./representation.js";
import { createResponder, type Document, type Failure } from "./respond.js";
import { type Answered, fakeExchange } from "./testing/fake-exchange.js";

const catalog = loadCatalog(createNaming("orch"));
const reader = createBodyReader(catalog);
const layouts = createLayouts(createPacer(setImmediate));
const respond = createResponder((kind) => catalog.type(`meta/v1.${kind}`), layouts);
const mediaTypes: Readonly<Record<ObjectFormat, string>> = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.orch.protobuf",
  cbor: "application/cbor",
};

function as(encoding: ObjectFormat, more: Partial<Representation> = {}): Representation {
  return { ...plainJson, encoding, contentType: mediaTypes[encoding], ...more };
}

function failed(error: ApiError, warnings: readonly string[] = []): Failure {
  return { error, warnings };
}

type Send = (response: HttpResponse) => void | Promise<void>;

function sent(send: Send): Promise<Answered> {
  const exchange = fakeExchange({ target: "/" });
  void send(exchange.response);
  return exchange.answered;
}

const document: Document = { code: 201, body: Buffer.from('{"kind":"ConfigMap","data":{"a":"yes"}}\n'), headers: [] };

test("a document leaves as the bytes that came, or as YAML and indented JSON made of them", async () => {
  const rows: readonly (readonly [representation: Representation, body: string])[] = [
    [as("json"), '{"kind":"ConfigMap","data":{"a":"yes"}}\n'],
    [as("json", { pretty: true }), '{\n  "kind": "ConfigMap",\n  "data": {\n    "a": "yes"\n  }\n}\n'],
    [as("yaml"), 'kind: ConfigMap\ndata:\n  a: "yes"\n'],
  ];
  for (const [representation, body] of rows) {
    const answer = await sent((response) => respond.document(response, representation, document));
    assert.equal(answer.code, 201);
    assert.equal(answer.body.toString(), body);
    assert.deepEqual(answer.header("content-type"), [representation.contentType]);
  }
  const bytes = Buffer.from([1, 2, 3]);
  for (const encoding of ["protobuf", "cbor"] as const) {
    const answer = await sent((response) => respond.document(response, as(encoding), { ...document, body: bytes }));
    assert.deepEqual([answer.body, answer.header("content-type")], [bytes, [mediaTypes[encoding]]]);
  }
});

test("further headers go with every form of a document", async () => {
  for (const representation of [as("json"), as("json", { pretty: true }), as("yaml"), as("protobuf")]) {
    const headers = ["Warning", '299 - "a"', "Warning", '299 - "b"'];
    const answer = await sent((response) => respond.document(response, representation, { ...document, headers }));
    assert.deepEqual(answer.header("warning"), ['299 - "a"', '299 - "b"']);
    assert.deepEqual(answer.header("content-type"), [representation.contentType]);
  }
});

test("an error is a Status in the encoding of the answer it stands for", async () => {
  const error = badRequest("no");
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "no",
    reason: "BadRequest",
    code: 400,
  };
  const yaml = await sent((response) => respond.error(response, as("yaml"), failed(error)));
  const readYaml = parseYaml(yaml.body);
  assert.deepEqual(readYaml.ok && readYaml.value, status);
  for (const encoding of ["json", "protobuf", "cbor"] as const) {
    const answer = await sent((response) => respond.error(response, as(encoding), failed(error)));
    assert.equal(answer.code, 400);
    assert.deepEqual(answer.header("content-type"), [mediaTypes[encoding]]);
    assert.deepEqual(reader.body(encoding, answer.body), status);
  }
});

test("a watch that fails before it begins answers one body, with a body's media type", async () => {
  const rows: readonly (readonly [Representation, string])[] = [
    [as("cbor", { contentType: "application/cbor-seq" }), mediaTypes.cbor],
    [as("protobuf", { contentType: `${mediaTypes.protobuf};stream=watch` }), mediaTypes.protobuf],
    [as("json"), mediaTypes.json],
  ];
  for (const [representation, contentType] of rows) {
    const answer = await sent((response) => respond.error(response, representation, failed(badRequest("no"))));
    assert.deepEqual(answer.header("content-type"), [contentType]);
  }
});

test("an error says when to come again and how to show who one is", async () => {
  const later = new ApiError("TooManyRequests", "later", { details: { retryAfterSeconds: 7 } });
  const slow = await sent((response) => respond.error(response, as("json"), failed(later)));
  assert.deepEqual([slow.code, slow.header("retry-after")], [429, ["7"]]);
  const nobody = await sent((response) => respond.error(response, as("json"), failed(unauthorized())));
  assert.deepEqual([nobody.code, nobody.header("www-authenticate")], [401, ["Bearer"]]);
});

test("an error carries the request's warnings", async () => {
  const answer = await sent((response) => respond.error(response, as("json"), failed(badRequest("no"), ["a", "b"])));
  assert.deepEqual(answer.header("warning"), ['299 - "a"', '299 - "b"']);
});

test("what has no Protobuf form is told in JSON, and says so", async () => {
  const value = { kind: "Thing", apiVersion: "v1", a: 1 };
  const answer = await sent((response) => respond.value(response, as("protobuf"), { code: 200, value }));
  assert.deepEqual(answer.header("content-type"), ["application/json"]);
  assert.equal(answer.body.toString(), '{"kind":"Thing","apiVersion":"v1","a":1}\n');
});

test("discovery is told in every encoding", async () => {
  const value = { kind: "APIVersions", apiVersion: "v1", versions: ["v1"], serverAddressByClientCIDRs: [] };
  for (const encoding of ["protobuf", "cbor"] as const) {
    const { body } = await sent((response) => respond.value(response, as(encoding), { code: 200, value }));
    assert.deepEqual(reader.body(encoding, body)["versions"], ["v1"]);
  }
  const cbor = parseCbor((await sent((response) => respond.value(response, as("cbor"), { code: 200, value }))).body);
  assert.deepEqual(cbor.ok && cbor.value, value);
});
