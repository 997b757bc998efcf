import { messageOf } from "@orch/status/message-of.js";
import { LRUCache } from "lru-cache";
import type { KmsV1Keys } from "../key-set.js";
import type { PluginKeys } from "../plugin-keys.js";
import { aesCbc } from "../providers/aes-cbc.js";
import { aesGcm } from "../providers/aes-gcm.js";
import { joinReasons, refused } from "../providers/cipher.js";
import { kmsPrefix } from "../providers/prefixes.js";
import { putRandom } from "../providers/random-bytes.js";
import type { RingMetrics } from "./metrics.js";
import { sealingFailed } from "./sealing-failed.js";
import type { Step, StepOpened } from "./step.js";
import type { Unwrapping } from "./unwrapping.js";

const keyBytes = 32;
const lengthBytes = 2;
const maxWrapped = 0xffff;

const noLength = refused(
  "invalid data encountered by envelope transformer: failed to read uint16 length prefixed data",
);

/** Data keys at hand by what the plugin made of them; undefined where none are kept. */
export type HeldV1Keys = LRUCache<string, Buffer> | undefined;

export function createHeldV1Keys(max: number): HeldV1Keys {
  return max < 0 ? undefined : new LRUCache({ max });
}

export interface KmsV1StepDeps {
  readonly held: HeldV1Keys;
  readonly unwrapping: Unwrapping;
  readonly plugins: Pick<PluginKeys, "wrap">;
  readonly metrics: RingMetrics;
}

/** Envelopes of KMS v1: each value has a key of its own, which the plugin wraps. */
export function kmsV1Step({ name, cacheSize }: KmsV1Keys, { held, unwrapping, plugins, metrics }: KmsV1StepDeps): Step {
  const prefix = Buffer.from(kmsPrefix("v1", name));
  const keep = (id: string, dataKey: Buffer): void => {
    held?.set(id, dataKey);
    metrics.kept(name, "v1", { size: held?.size ?? 0, max: Math.max(cacheSize, 1) });
  };

  async function makeKey(): Promise<{ readonly dataKey: Buffer; readonly wrapped: Buffer }> {
    const started = metrics.now();
    const dataKey = Buffer.alloc(keyBytes);
    putRandom(dataKey, 0, keyBytes);
    try {
      const wrapped = await plugins.wrap(name, dataKey);
      if (wrapped.length > maxWrapped) throw new RangeError(`the plugin made ${wrapped.length} bytes of a key`);
      metrics.generated(started, false);
      return { dataKey, wrapped };
    } catch (error) {
      metrics.generated(started, true);
      throw sealingFailed(`failed to encrypt DEK, error: ${messageOf(error)}`);
    }
  }

  return {
    prefix,
    async seal(plain, key) {
      const { dataKey, wrapped } = await makeKey();
      const before = prefix.length + lengthBytes + wrapped.length;
      const sealed = aesGcm(dataKey).seal(plain, key, { before, after: 0 });
      prefix.copy(sealed);
      sealed.writeUInt16BE(wrapped.length, prefix.length);
      wrapped.copy(sealed, prefix.length + lengthBytes);
      keep(wrapped.toString("latin1"), dataKey);
      return sealed;
    },
    open(stored, key) {
      const begin = prefix.length + lengthBytes;
      if (stored.length < begin) return noLength;
      const end = begin + stored.readUInt16BE(prefix.length);
      if (stored.length < end) return noLength;
      const wrapped = stored.subarray(begin, end);
      const id = wrapped.toString("latin1");
      const data = stored.subarray(end);
      const known = held?.get(id);
      if (known !== undefined) return openEither(known, data, key);
      metrics.missed();
      return unwrapping.unwrap(id, { provider: name, version: "v1", wrapped, keyId: "", annotations: {} }).then(
        (dataKey) => {
          keep(id, dataKey);
          return openEither(dataKey, data, key);
        },
        (error: unknown) => refused(`error while decrypting key: ${messageOf(error)}`),
      );
    },
  };
}

/** Long ago they were written by AES-CBC. */
function openEither(dataKey: Buffer, data: Buffer, key: string): StepOpened {
  if (![16, 24, 32].includes(dataKey.length)) return refused(`crypto/aes: invalid key size ${dataKey.length}`);
  const now = aesGcm(dataKey).open(data, key);
  if (now.ok) return { ...now, stale: false };
  const before = aesCbc(dataKey).open(data, key);
  return before.ok ? { ...before, stale: true } : refused(joinReasons([now.why, before.why]));
}
