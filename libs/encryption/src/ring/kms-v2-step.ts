import { messageOf } from "@orch/status/message-of.js";
import { LRUCache } from "lru-cache";
import { problemWithSource } from "../envelope/check-source.js";
import {
  dataHeadBytes,
  dataRange,
  decodeObject,
  type EncryptedObject,
  encodeSource,
  sourceTypes,
  writeDataHead,
} from "../envelope/encrypted-object.js";
import { extendedOverhead } from "../envelope/extended-nonce.js";
import { sourceCipher } from "../envelope/source-cipher.js";
import type { KmsV2Keys, WriteKey } from "../key-set.js";
import { type Cipher, refused } from "../providers/cipher.js";
import { kmsPrefix } from "../providers/prefixes.js";
import type { RingMetrics } from "./metrics.js";
import { sealingFailed } from "./sealing-failed.js";
import type { Step, StepOpened } from "./step.js";
import type { Unwrapping } from "./unwrapping.js";

/** A data key at hand, with what its envelope says of it. */
interface HeldKey {
  readonly cipher: Cipher;
  readonly keyId: string;
  readonly type: number;
}

export type HeldKeys = LRUCache<string, HeldKey>;

const maxHeld = 1_000;

/** The data keys of one plugin, by what stands behind the data in an envelope; they outlive a key set. */
export const createHeldKeys = (): HeldKeys => new LRUCache({ max: maxHeld });

export interface KmsV2StepDeps {
  readonly held: HeldKeys;
  readonly unwrapping: Unwrapping;
  readonly metrics: RingMetrics;
}

/** Envelopes of KMS v2: data keys are made of a seed that the plugin wrapped once. */
export function kmsV2Step({ name, write, why }: KmsV2Keys, { held, unwrapping, metrics }: KmsV2StepDeps): Step {
  const prefix = Buffer.from(kmsPrefix("v2", name));
  const sealing = write === undefined ? undefined : sealingOf(write);
  if (sealing !== undefined) {
    held.set(sealing.id, sealing);
    metrics.kept(name, "v2", { size: held.size, max: maxHeld });
  }
  const openWith = (data: Buffer, key: string, { cipher, keyId, type }: HeldKey): StepOpened => {
    const plain = cipher.open(data, key);
    if (!plain.ok) return plain;
    metrics.keyUsed("from_storage", name, keyId);
    const stale = write !== undefined && (write.keyId !== keyId || write.type !== type);
    return { ok: true, value: plain.value, stale };
  };

  /** By a key that is not at hand. */
  async function fetchAndOpen(object: EncryptedObject, id: string, key: string): Promise<StepOpened> {
    metrics.missed();
    let source: Buffer;
    try {
      source = await unwrapping.unwrap(id, { ...object, provider: name, version: "v2" });
    } catch (error) {
      return refused(`failed to decrypt DEK, error: ${messageOf(error)}`);
    }
    const cipher = sourceCipher(object.type, source);
    if (cipher === undefined) return refused("failed to create AES-GCM transformer: invalid DEK source");
    const fetched: HeldKey = { cipher, keyId: object.keyId, type: object.type };
    held.set(id, fetched);
    metrics.kept(name, "v2", { size: held.size, max: maxHeld });
    return openWith(object.data, key, fetched);
  }

  return {
    prefix,
    seal(plain, key) {
      if (sealing === undefined) throw sealingFailed(why);
      const length = plain.length + extendedOverhead;
      const head = dataHeadBytes(length);
      const sealed = sealing.cipher.seal(plain, key, {
        before: prefix.length + head,
        after: sealing.tail.length,
      });
      prefix.copy(sealed);
      writeDataHead(sealed, prefix.length, length);
      sealing.tail.copy(sealed, prefix.length + head + length);
      metrics.keyUsed("to_storage", name, sealing.keyId);
      return sealed;
    },
    open(stored, key) {
      const range = dataRange(stored, prefix.length);
      if (range !== undefined) {
        const known = held.get(stored.toString("latin1", range.end));
        if (known !== undefined) return openWith(stored.subarray(range.begin, range.end), key, known);
      }
      const decoded = decodeObject(stored.subarray(prefix.length));
      if (!decoded.ok) return decoded;
      const object = decoded.value;
      if (object.data.length === 0) return refused("encrypted data is empty");
      const problem = problemWithSource(object);
      if (problem !== undefined) return refused(problem);
      const id = encodeSource(object).toString("latin1");
      const known = held.get(id);
      return known === undefined ? fetchAndOpen(object, id, key) : openWith(object.data, key, known);
    },
  };
}

interface Sealing extends HeldKey {
  readonly id: string;
  readonly tail: Buffer;
}

function sealingOf(write: WriteKey): Sealing | undefined {
  const cipher = sourceCipher(sourceTypes.extendedNonceSeed, write.seed);
  if (cipher === undefined || write.type !== sourceTypes.extendedNonceSeed) return undefined;
  const tail = encodeSource(write);
  return { cipher, keyId: write.keyId, type: write.type, tail, id: tail.toString("latin1") };
}
