import assert from "node:assert/strict";
import { createServer, request, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { loadCatalog } from "@orch/api/catalog.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import { createOpenApi } from "@orch/api/openapi/openapi.js";
import { createNaming } from "@orch/naming/naming.js";
import express from "express";
import { createOpenApiRoutes } from "./openapi.js";

const naming = createNaming("kubernetes");
const documents = createOpenApi(createLiveCatalog(loadCatalog(naming)), {
  naming,
  offers: { subresources: new Set(), mediaTypes: ["application/json"] },
});
const routes = createOpenApiRoutes({ documents, now: () => Date.UTC(2025, 0, 2) });
const server: Server = createServer(express().use("/openapi", routes));
let origin = "";

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  origin = typeof address === "object" ? `http://127.0.0.1:${address?.port}` : "";
});

after(() => server.close());

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(origin + path, { headers, redirect: "manual" });
}

const old = "application/com.github.proto-openapi.spec";
const answers: readonly (readonly [path: string, accept: string, code: number, contentType: string | null])[] = [
  ["/openapi/v2", "*/*", 200, "application/json"],
  ["/openapi/v2", "application/json;q=0.5, text/plain", 200, "application/json"],
  ["/openapi/v2", `${old}.v2@v1.0+protobuf`, 200, `${old}.v2.v1.0+protobuf`],
  ["/openapi/v2", `${old}.v2.v1.0+protobuf,application/json`, 200, `${old}.v2.v1.0+protobuf`],
  ["/openapi/v2", "text/plain", 406, null],
  ["/openapi/v3", "*/*", 200, "application/json"],
  ["/openapi/v3/api/v1", "application/json", 200, "application/json"],
  ["/openapi/v3/apis/apps", `${old}.v3@v1.0+protobuf`, 200, `${old}.v3.v1.0+protobuf`],
  ["/openapi/v3/version", "text/plain", 406, null],
  ["/openapi/v3/apis/nothing/v1", "*/*", 404, "text/html; charset=utf-8"],
];

for (const [path, accept, code, contentType] of answers) {
  test(`${path} for ${accept} is ${code} ${contentType}`, async () => {
    const answer = await get(path, { accept });
    await answer.arrayBuffer();
    assert.equal(answer.status, code);
    assert.equal(answer.headers.get("content-type"), contentType);
    if (code === 200) assert.match(answer.headers.get("etag") ?? "", /^"[0-9A-F]{128}"$/);
    if (code === 200) assert.equal(answer.headers.get("vary"), "Accept, Accept-Encoding");
  });
}

for (const path of ["/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1"]) {
  test(`who has ${path} is told that it did not change`, async () => {
    const first = await get(path);
    const text = await first.text();
    const etag = first.headers.get("etag") ?? "";
    const second = await get(path, { "if-none-match": etag });
    assert.equal(second.status, 304);
    assert.equal(await second.text(), "");
    const third = await get(path, { "if-none-match": '"another"' });
    assert.equal(await third.text(), text);
  });
}

test("the address that the index gives is good for a year, for ever unchanged", async () => {
  const index: unknown = JSON.parse(await (await get("/openapi/v3")).text());
  assert.ok(typeof index === "object" && index !== null && "paths" in index);
  const [path = ""] = /\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]+/.exec(JSON.stringify(index)) ?? [];
  const answer = await get(path);
  await answer.text();
  assert.equal(answer.headers.get("cache-control"), "public, immutable");
  assert.equal(answer.headers.get("expires"), "Fri, 02 Jan 2026 00:00:00 GMT");
  const stale = await get("/openapi/v3/apis/apps/v1?hash=ABC");
  assert.equal(stale.status, 301);
  assert.equal(stale.headers.get("location"), path);
  assert.equal(stale.headers.get("cache-control"), null);
});

/** Undone by nobody on the way. */
function bytesOf(
  path: string,
  headers: Record<string, string>,
): Promise<{ zipped: boolean; etag: string; body: Buffer }> {
  return new Promise((resolve, reject) => {
    request(origin + path, { headers }, (response) => {
      const { "content-encoding": encoding, etag = "" } = response.headers;
      buffer(response).then((body) => resolve({ zipped: encoding === "gzip", etag, body }), reject);
    })
      .once("error", reject)
      .end();
  });
}

for (const path of ["/openapi/v2", "/openapi/v3", "/openapi/v3/apis/apps/v1"]) {
  test(`${path} is compressed for who takes that, under the same ETag, and asked for again it is the same`, async () => {
    const plain = await bytesOf(path, {});
    const zipped = await bytesOf(path, { "accept-encoding": "gzip" });
    assert.deepEqual([plain.zipped, zipped.zipped, zipped.etag], [false, true, plain.etag]);
    assert.deepEqual(gunzipSync(zipped.body), plain.body);
    assert.ok(zipped.body.length < plain.body.length);
    assert.deepEqual(await bytesOf(path, { "accept-encoding": "gzip;q=0.5, br" }), zipped);
    assert.equal((await bytesOf(path, { "accept-encoding": "gzip;q=0, identity" })).zipped, false);
  });
}

test("the two encodings of a document are compressed each for itself", async () => {
  const accept = `${old}.v3@v1.0+protobuf`;
  const path = "/openapi/v3/apis/apps/v1";
  const [json, protobuf] = [
    await bytesOf(path, { "accept-encoding": "gzip" }),
    await bytesOf(path, { accept, "accept-encoding": "gzip" }),
  ];
  assert.notDeepEqual(gunzipSync(protobuf.body), gunzipSync(json.body));
  assert.deepEqual(gunzipSync(protobuf.body), (await bytesOf(path, { accept })).body);
});
