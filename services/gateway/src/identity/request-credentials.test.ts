import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientCertificate } from "@orch/auth/authenticator.js";
import { fakeExchange } from "../testing/fake-exchange.js";
import { RequestCredentials } from "./request-credentials.js";

const certificate: ClientCertificate = {
  ...{ commonName: "admin", organizations: [], verified: true, notAfter: 1, chain: [] },
};
const wrongToken = { authorization: "Bearer wrong" };
const other = { origin: "https://evil.example", host: "h" };
const own = { origin: "https://h", host: "h" };
const handshake = { connection: "Upgrade", upgrade: "websocket" };

const rows: readonly (readonly [
  what: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  shown: boolean,
])[] = [
  ["a connection of another page, with any token", "GET", { ...other, ...handshake, ...wrongToken }, false],
  ["a write of another page, with any token", "POST", { ...other, ...wrongToken }, false],
  ["a connection of the console", "GET", { ...own, ...handshake }, true],
  ["what another page reads, and cannot see", "GET", other, true],
  ["a write of what is no browser", "POST", wrongToken, true],
];

for (const [what, method, headers, shown] of rows) {
  test(`the certificate ${shown ? "counts" : "does not count"} for ${what}`, () => {
    const { request } = fakeExchange({ method, target: "/api", headers });
    const credentials = new RequestCredentials({ ...request, peer: { address: "", certificate } }, undefined);
    assert.equal(credentials.certificate, shown ? certificate : undefined);
  });
}
