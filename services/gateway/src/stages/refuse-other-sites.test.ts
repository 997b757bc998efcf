import assert from "node:assert/strict";
import { test } from "node:test";
import { testGateway } from "../testing/gateway.js";

type Headers = Readonly<Record<string, string>>;

const other = { origin: "https://evil.example" };
const own = { origin: "https://h:6443", host: "h:6443" };
const handshake = { connection: "Upgrade", upgrade: "websocket" };
const token = { authorization: "Bearer x" };

const rows: readonly (readonly [what: string, method: string, headers: Headers, refused: boolean])[] = [
  ["a write of another page", "POST", other, true],
  ["a deletion of another page", "DELETE", other, true],
  ["a connection of another page", "GET", { ...other, ...handshake }, true],
  ["a connection of a page without an origin", "GET", { origin: "null", ...handshake }, true],
  ["a write of a page at another port", "POST", { ...own, origin: "https://h:8443" }, true],
  ["what the browser says is of another page", "POST", { ...own, "sec-fetch-site": "same-site" }, true],
  ["what another page reads, and cannot see", "GET", other, false],
  ["a write of another page that has a token", "POST", { ...other, ...token }, false],
  ["a connection of another page that has a token", "GET", { ...other, ...handshake, ...token }, false],
  ["a write of the console", "POST", own, false],
  ["a connection of the console", "GET", { ...own, ...handshake }, false],
  ["a write of the console behind a proxy", "POST", { ...other, "sec-fetch-site": "same-origin" }, false],
  ["a write of what is no browser", "POST", {}, false],
];

for (const [what, method, headers, refused] of rows) {
  test(`${what} is ${refused ? "refused" : "judged as any other"}`, async () => {
    const { ask } = testGateway();
    const { code, body } = await ask({
      method,
      target: "/api/v1/chairs",
      headers,
      body: method === "POST" ? "{}" : "",
    });
    const { message } = JSON.parse(String(body));
    if (refused) assert.deepEqual([code, message], [403, "a page of another origin may only do this with a token"]);
    else assert.equal(code, 404, message);
  });
}
