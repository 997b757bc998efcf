import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { issueAuthority } from "@orch/pki/certificates.js";
import { isOver } from "./cleaner.js";

const start = Date.parse("2026-01-01T00:00:00Z");
const hourMs = 3_600_000;
const time = (ms: number) => new Date(start + ms).toISOString().replace(".000", "");
const naming = createNaming("orch");

const requestOf = (types: readonly string[], certificate?: string): ApiObject => ({
  metadata: { name: "r", creationTimestamp: time(0) },
  spec: { signerName: naming.key("kube-apiserver-client") },
  status: {
    conditions: types.map((type) => ({ type, status: "True", lastUpdateTime: time(hourMs) })),
    ...(certificate === undefined ? {} : { certificate: Buffer.from(certificate).toString("base64") }),
  },
});

const expired = (await issueAuthority("ca", start - 3660 * 24 * hourMs)).certificate;
const valid = (await issueAuthority("ca", start)).certificate;

const rows: readonly (readonly [string, ApiObject, overAfterHours: number | undefined])[] = [
  ["never decided", requestOf([]), 24],
  ["denied", requestOf(["Denied"]), 2],
  ["failed", requestOf(["Approved", "Failed"]), 2],
  ["issued", requestOf(["Approved"], valid), 2],
  ["issued with something else", requestOf(["Approved"], "x"), 2],
  ["approved and not issued", requestOf(["Approved"]), undefined],
  ["issued without approval", requestOf(["Other"], expired), undefined],
  ["issued and expired", requestOf(["Approved"], expired), 0],
  ["of no known form", { metadata: {} }, undefined],
];
for (const [what, object, hours] of rows) {
  test(`a request that was ${what} is kept ${hours === undefined ? "for ever" : `${hours} h`}`, () => {
    if (hours === undefined) return assert.equal(isOver(object, start + 1e12), false);
    if (hours > 0) assert.equal(isOver(object, start + hours * hourMs), false);
    assert.equal(isOver(object, start + hours * hourMs + 1), true);
  });
}
