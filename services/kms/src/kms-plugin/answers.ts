import { aesGcm } from "@orch/encryption/providers/aes-gcm.js";
import type { PluginAnswers } from "../plugin/serve.js";
import type { PluginKey } from "./key-file.js";

/** What is wrapped is bound to it: no other bytes of the same key are taken for a data key. */
const bound = "orch-kms-plugin";

/** Answers of both protocols by the keys of a file; `keys` gives those of now. */
export function answersWith(keys: () => readonly [PluginKey, ...(readonly PluginKey[])]): Required<PluginAnswers> {
  const wrap = (plain: Buffer): Buffer => aesGcm(keys()[0].secret).seal(plain, bound);
  const unwrap = (wrapped: Buffer, id: string): Buffer => {
    const key = keys().find((each) => each.id === id);
    if (key === undefined) throw new Error(`there is no key ${JSON.stringify(id.slice(0, 200))}`);
    const plain = aesGcm(key.secret).open(wrapped, bound);
    if (!plain.ok) throw new Error("this was not wrapped by that key");
    return plain.value;
  };
  return {
    v2: {
      status: () => ({ version: "v2", healthz: "ok", keyId: keys()[0].id }),
      encrypt: (plaintext) => ({ ciphertext: wrap(plaintext), keyId: keys()[0].id, annotations: {} }),
      decrypt: ({ ciphertext, keyId }) => unwrap(ciphertext, keyId),
    },
    // The older protocol has no place for the key's id: it stands before the wrapped key.
    v1: {
      version: () => "v1beta1",
      encrypt(plain) {
        const id = Buffer.from(keys()[0].id);
        return Buffer.concat([Buffer.from([id.length]), id, wrap(plain)]);
      },
      decrypt(cipher) {
        const end = 1 + (cipher[0] ?? 0);
        return unwrap(cipher.subarray(end), cipher.toString("utf8", 1, end));
      },
    },
  };
}
