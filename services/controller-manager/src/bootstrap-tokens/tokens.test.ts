import assert from "node:assert/strict";
import { test } from "node:test";
import { detachedSignature, leftOf, signedData, tokenOf } from "./tokens.js";

const now = Date.parse("2026-01-01T00:00:00Z");
const secret = "abcdef0123456789";
const token = (data: Readonly<Record<string, string>>, name = "bootstrap-token-abcdef") =>
  tokenOf({
    metadata: { name },
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")])),
  });
const good = { "token-id": "abcdef", "token-secret": secret, "usage-bootstrap-signing": "true" };

test("the signature of a content is the one that joining machines expect", () => {
  const jws = "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..UvyJAKAnqAawAUcRbRefK1gjW5vB4EGvSxqSm9Hls9I";
  assert.equal(detachedSignature("hello orch\n", "abcdef", secret), jws);
});

const ends: readonly (readonly [expiration: string, left: number | undefined])[] = [
  ["", undefined],
  ["2026-01-01T00:00:05Z", 5000],
  ["2025-12-31T23:59:59+00:00", -1000],
  ["tomorrow", 0],
];
for (const [expiration, left] of ends) {
  test(`a token that ends at "${expiration}" has ${left} ms left`, () =>
    assert.equal(leftOf(token({ expiration }), now), left));
}

const signers: readonly (readonly [what: string, token: ReturnType<typeof token>, signs: boolean])[] = [
  ["that may", token(good), true],
  ["that is not for it", token({ ...good, "usage-bootstrap-signing": "false" }), false],
  ["that is over", token({ ...good, expiration: "2025-01-01T00:00:00Z" }), false],
  ["of another name", token(good, "bootstrap-token-other1"), false],
  ["without a secret", token({ ...good, "token-secret": "" }), false],
];
for (const [what, of, signs] of signers) {
  test(`a token ${what} ${signs ? "signs" : "does not sign"}; signatures of others go`, () => {
    const data = signedData({ kubeconfig: "x", other: "y", "jws-kubeconfig-gone00": "z" }, [of], {
      now,
      content: "kubeconfig",
    });
    assert.deepEqual(Object.keys(data), ["kubeconfig", "other", ...(signs ? ["jws-kubeconfig-abcdef"] : [])]);
  });
}
