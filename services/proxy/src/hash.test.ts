import assert from "node:assert/strict";
import { test } from "node:test";
import { shortHash } from "./hash.js";

const rows: readonly (readonly [string, string])[] = [
  ["ns1/svc1:p80tcp", "XPGD46QRK7WJZT7O"],
  ["ns2/svc2:p80tcp", "GNZBNJ2PO5MGZ6GT"],
  ["ns4/svc4:p80tcp", "4SW47YFZTEDKD3PK"],
  ["default/kubernetes:httpstcp", "NPX46M4PTMTKRN6Y"],
  ["ns1/svc1:p80tcp10.180.0.1:80", "SXIVWICOYRO3J4NJ"],
  ["ns1/svc1:p80tcp10.180.0.2:80", "LXVODXWDISEETFEF"],
  ["ns1/svc1/tcp/p80", "ULMVA6XW"],
  ["ns1/svc1/tcp/p80__10.180.0.1/80", "5OJB2KTY"],
  ["ns1/svc1/tcp/p80__10.180.0.2/80", "2ZNDXFAB"],
];

for (const [text, hash] of rows) {
  test(`${text} is ${hash}`, () => assert.equal(shortHash(text, hash.length), hash));
}
