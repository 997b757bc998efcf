import type { LocalCipher, NamedKey } from "../configuration/configuration.js";
import { aesCbc } from "../providers/aes-cbc.js";
import { aesGcm } from "../providers/aes-gcm.js";
import { type Cipher, joinReasons, refused } from "../providers/cipher.js";
import { cipherPrefix } from "../providers/prefixes.js";
import { secretbox } from "../providers/secretbox.js";
import type { RingMetrics } from "./metrics.js";
import { beginsWith, type Step } from "./step.js";

const ciphers: Readonly<Record<LocalCipher, (secret: Buffer) => Cipher>> = {
  aescbc: aesCbc,
  aesgcm: aesGcm,
  secretbox,
};

const noKey: Readonly<Record<LocalCipher, string>> = {
  aescbc: "no matching key was found for the provided AES transformer",
  aesgcm: "no matching key was found for the provided AES transformer",
  secretbox: "no matching key was found for the provided Secretbox transformer",
};

/** A cipher with the keys of the configuration: written with the first, read with that of the name that stands in the value. */
export function localStep(type: LocalCipher, keys: readonly NamedKey[], metrics: RingMetrics): Step {
  const prefix = cipherPrefix(type);
  const each = keys.map(({ name, secret }) => {
    const label = `${name}:`;
    return { label, mark: Buffer.from(label), whole: Buffer.from(prefix + label), cipher: ciphers[type](secret) };
  });
  const [first] = each;
  if (first === undefined) throw new TypeError(`${type} has no keys`);
  const before = prefix.length;
  return {
    prefix: Buffer.from(prefix),
    seal(plain, key, { resource }) {
      const started = metrics.now();
      const sealed = first.cipher.seal(plain, key, { before: first.whole.length, after: 0 });
      first.whole.copy(sealed);
      metrics.sealed({ prefix: first.label, resource, started, failed: false });
      return sealed;
    },
    open(stored, key, { resource }) {
      const started = metrics.now();
      let reasons: readonly string[] = [];
      for (const [i, { label, mark, cipher }] of each.entries()) {
        if (!beginsWith(stored, mark, before)) continue;
        const plain = cipher.open(stored.subarray(before + mark.length), key);
        metrics.opened({ prefix: label, resource, started, failed: !plain.ok });
        if (plain.ok) return { ok: true, value: plain.value, stale: i > 0 };
        reasons = [...reasons, plain.why];
      }
      if (reasons.length > 0) return refused(joinReasons(reasons));
      metrics.opened({ prefix: "unknown", resource, started, failed: true });
      return refused(noKey[type]);
    },
  };
}
