import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import { after, type TestContext, test } from "node:test";
import { makeCertificates } from "@orch/store/testing/certificates.js";
import { documentFetch } from "./fetch-json.js";

const { directory, server: files } = makeCertificates();
after(() => rmSync(directory, { recursive: true, force: true }));
const [ca, cert, key] = [
  readFileSync(files.trustedCaFile, "utf8"),
  readFileSync(files.certFile, "utf8"),
  readFileSync(files.keyFile, "utf8"),
];

const { fetchJson } = documentFetch(undefined);

/** The address of a server that ends with the test. */
async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer({ cert, key }, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return `https://127.0.0.1:${address.port}/keys`;
}

test("a document is fetched from a server of the given authority alone", async (t) => {
  const url = await serve(t, ({ method, url: path }, response) => response.end(JSON.stringify({ method, path })));
  assert.deepEqual(await fetchJson({ url, ca, timeoutMs: 5000 }), { method: "GET", path: "/keys" });
  await assert.rejects(fetchJson({ url, timeoutMs: 5000 }), /certificate/);
});

const answers: readonly (readonly [what: string, listener: RequestListener, problem: RegExp])[] = [
  ["a redirect", (_, response) => response.writeHead(302, { location: "/other" }).end("{}"), /^the answer is 302$/],
  ["an error", (_, response) => response.writeHead(500).end("{}"), /^the answer is 500$/],
  ["no JSON", (_, response) => response.end("<html>"), /JSON/],
  ["more than 1 MiB", (_, response) => response.end(`"${"x".repeat(1024 * 1024)}"`), /^the answer has more than/],
  ["half an answer", (_, response) => void response.writeHead(200, { "content-length": "9" }).write("{}"), /time/i],
  ["silence", () => {}, /time/i],
];
for (const [what, listener, problem] of answers) {
  test(`${what} is none`, async (t) => {
    const url = await serve(t, listener);
    await assert.rejects(fetchJson({ url, ca, timeoutMs: 300 }), (error) => {
      assert.ok(error instanceof Error);
      assert.match(error.message, problem);
      return true;
    });
  });
}
