import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import express from "express";
import { createOpenIdDiscovery } from "./openid-discovery.js";

async function start(t: TestContext): Promise<string> {
  const app = express();
  app.disable("etag");
  app.use(createOpenIdDiscovery({ configuration: '{"issuer":"i"}', keySet: '{"keys":[]}' }));
  const server = createServer(app).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return `http://127.0.0.1:${address.port}`;
}

const documents = [
  ["/.well-known/openid-configuration", "application/json", '{"issuer":"i"}'],
  ["/openid/v1/jwks", "application/jwk-set+json", '{"keys":[]}'],
] as const;

test("each document has its media type and may be kept for an hour", async (t) => {
  const url = await start(t);
  for (const [path, mediaType, body] of documents) {
    const answer = await fetch(url + path);
    const headers = ["content-type", "cache-control"].map((name) => answer.headers.get(name));
    assert.deepEqual([answer.status, ...headers], [200, mediaType, "public, max-age=3600"]);
    assert.equal(await answer.text(), body);
  }
});

test("neither is at a path that is nearly theirs, nor written to", async (t) => {
  const url = await start(t);
  for (const path of ["/openid/v1/jwks/", "/openid/v1/JWKS", "/openid/v1", "/.well-known/openid-configuration/x"]) {
    assert.equal((await fetch(url + path)).status, 404, path);
  }
  assert.equal((await fetch(`${url}/openid/v1/jwks`, { method: "POST" })).status, 404);
});
