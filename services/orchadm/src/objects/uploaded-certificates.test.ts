import assert from "node:assert/strict";
import { test } from "node:test";
import { newCertificateKey, opened, sealed } from "./uploaded-certificates.js";

test("what is sealed with a key opens with that key alone, and unchanged alone", () => {
  const key = newCertificateKey();
  assert.match(key, /^[0-9a-f]{64}$/);
  const bytes = sealed("a secret, ä", key);
  assert.equal(opened(bytes, key), "a secret, ä");
  assert.notDeepEqual(sealed("a secret, ä", key), bytes);
  assert.throws(() => opened(bytes, newCertificateKey()));
  for (const at of [0, 12, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8((changed.readUInt8(at) + 1) % 256, at);
    assert.throws(() => opened(changed, key));
  }
  assert.throws(() => opened(bytes.subarray(0, 20), key), /too short/);
});
