import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { tokenFlags, tokenSettings } from "./token-flags.js";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const files: Readonly<Record<string, string>> = { key: pem, junk: "junk" };
const read = (path: string): string => files[path] ?? assert.fail(`no ${path}`);

type Values = FlagValues<typeof tokenFlags>;
const defaults: Values = {
  "service-account-issuer": [],
  "service-account-signing-key-file": "",
  "service-account-max-token-expiration": tokenFlags["service-account-max-token-expiration"].default,
  "service-account-extend-token-expiration": tokenFlags["service-account-extend-token-expiration"].default,
  "api-audiences": [],
};
const issuer = "https://cluster.example";
const both = { "service-account-issuer": [issuer, "other"], "service-account-signing-key-file": "key" };

test("an issuer and a key make tokens for the issuers, or for the audiences that are named", () => {
  const usual = { issuer, signingKeyPem: pem, apiAudiences: [issuer, "other"], maxSeconds: 0, extend: true };
  assert.deepEqual(tokenSettings({ ...defaults, ...both }, read), { ok: true, value: usual });
  const more = {
    "api-audiences": ["api"],
    "service-account-max-token-expiration": 7_200_000,
    "service-account-extend-token-expiration": false,
  };
  const value = { ...usual, apiAudiences: ["api"], maxSeconds: 7200, extend: false };
  assert.deepEqual(tokenSettings({ ...defaults, ...both, ...more }, read), { ok: true, value });
});

test("without a key nobody makes tokens", () => {
  for (const values of [defaults, { ...defaults, "service-account-issuer": [issuer] }]) {
    assert.deepEqual(tokenSettings(values, read), { ok: true, value: undefined });
  }
});

const refused: readonly (readonly [Partial<Values>, RegExp])[] = [
  [{ "service-account-signing-key-file": "key" }, /^service-account-issuer is a required flag$/],
  [
    { ...both, "service-account-signing-key-file": "junk" },
    /--service-account-signing-key-file junk: .* no private key/,
  ],
  [
    { ...both, "service-account-signing-key-file": "missing" },
    /--service-account-signing-key-file missing: no missing/,
  ],
  [{ "service-account-issuer": ["a", "a"] }, /"a" is already specified/],
  [{ "service-account-issuer": ["a b:c"] }, /"a b:c" contained a ':' but was not a valid URL/],
  [{ "service-account-max-token-expiration": 3_599_000 }, /between 1 hour and 2\^32 seconds/],
  [{ "service-account-max-token-expiration": (2 ** 32 + 1) * 1000 }, /between 1 hour and 2\^32 seconds/],
];
for (const [values, problem] of refused) {
  test(`refused: ${JSON.stringify(values)}`, () => {
    const settings = tokenSettings({ ...defaults, ...values }, read);
    assert.ok(!settings.ok);
    assert.match(settings.problems.join("; "), problem);
    assert.ok(!settings.problems.join().includes(pem.split("\n")[1] ?? "-"));
  });
}
