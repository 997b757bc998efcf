import assert from "node:assert/strict";
import { test } from "node:test";
import { createSecureContext } from "node:tls";
import { cipherList, cipherSuiteNames, modernCiphers } from "./cipher-suites.js";

test("without names the suites are the modern ones", () => {
  assert.deepEqual(cipherList([]), { ok: true, ciphers: modernCiphers });
  assert.doesNotMatch(modernCiphers, /CBC|-SHA(:|$)|RC4|3DES|(^|:)AES/);
});

test("every name is one that OpenSSL knows", () => {
  for (const name of cipherSuiteNames) {
    const list = cipherList([name]);
    assert.ok(list.ok, name);
    const ofVersion2 = list.ciphers.replace(/^(TLS_[^:]+:?){3}/, "");
    if (ofVersion2 !== "") createSecureContext({ ciphers: ofVersion2, minVersion: "TLSv1.2" });
  }
  assert.throws(() => createSecureContext({ ciphers: "ECDHE-NONE", minVersion: "TLSv1.2" }), "names are looked at");
});

test("the order is the given one, behind those of TLS 1.3", () => {
  const names = [
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
  ];
  const ciphers =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256";
  assert.deepEqual(cipherList(names), { ok: true, ciphers });
});

for (const [name, problem] of [
  ["TLS_RSA_WITH_RC4_128_SHA", "TLS_RSA_WITH_RC4_128_SHA is not secure"],
  ["TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_128_GCM_SHA256 is not secure"],
  ["ECDHE-RSA-AES128-GCM-SHA256", '"ECDHE-RSA-AES128-GCM-SHA256" is no cipher suite'],
  ["ALL:!x", '"ALL:!x" is no cipher suite'],
  ["__proto__", '"__proto__" is no cipher suite'],
] as const) {
  test(`is refused: ${name}`, () => {
    const list = cipherList([name]);
    assert.ok(!list.ok && list.problem.startsWith(problem), JSON.stringify(list));
  });
}
