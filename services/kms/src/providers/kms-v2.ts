import type { KmsProviderConfiguration } from "@orch/encryption/configuration/configuration.js";
import { problemWithKeyId, problemWithSource } from "@orch/encryption/envelope/check-source.js";
import { sourceTypes } from "@orch/encryption/envelope/encrypted-object.js";
import type { WriteKey } from "@orch/encryption/key-set.js";
import { messageOf } from "@orch/status/message-of.js";
import { decrypt2, encrypt2, type PluginStatus, statusOf2 } from "../plugin/methods.js";
import { createChecked } from "./checked.js";
import type { ProviderDeps } from "./deps.js";
import { keyIdHash } from "./key-id-hash.js";
import type { Provider } from "./provider.js";

/** The seed that is written with, and until when, unless a good status comes before. */
interface State {
  readonly write: WriteKey;
  /** Monotonic. */
  readonly until: number;
}

const seedBytes = 32;
const noState = "got unexpected nil transformer";
const versions = ["v2", "v2beta1"];

/** A plugin of v2: it wraps one seed, and another one when it says that its key is another one. */
export function createKmsV2({ name, timeoutMs }: KmsProviderConfiguration, deps: ProviderDeps): Provider {
  const { connection, clock, times, metrics, newUid, randomBytes, changed, log } = deps;
  let state: State | undefined;
  let hasExpired = false;
  let cancelExpiry = (): void => {};

  const expire = (): void => {
    hasExpired = true;
    log(`the plugin ${name} has not been well for long: nothing is written with its key any more`, expiredText());
    changed();
  };
  const expiredText = (): string =>
    `EDEK with keyID hash ${JSON.stringify(keyIdHash(state?.write.keyId ?? ""))} expired (its plugin has not been well for ${times.writeMs / 60_000} minutes)`;
  const prolong = (write: WriteKey, until: number): void => {
    const isNew = state?.write !== write || hasExpired;
    state = { write, until };
    hasExpired = false;
    cancelExpiry();
    cancelExpiry = clock.after(until - clock.monotonic(), expire);
    if (isNew) changed();
  };

  /** A seed that the plugin wrapped with the key that its status names; else the reason. */
  async function keepSeed(statusKeyId: string): Promise<string | undefined> {
    // What is asked takes time: it does not count for longer than since before.
    const until = clock.monotonic() + times.writeMs;
    if (state?.write.keyId === statusKeyId) {
      prolong(state.write, until);
      return undefined;
    }
    const uid = newUid();
    const made = await makeSeed(uid);
    if (made.write !== undefined && made.write.keyId === statusKeyId) {
      prolong(made.write, until);
      return undefined;
    }
    const fields = [
      `uid=${JSON.stringify(uid)}`,
      "useSeed=true",
      `errState=${state === undefined ? noState : hasExpired ? expiredText() : "<nil>"}`,
      `errGen=${made.problem ?? "<nil>"}`,
      `statusKeyIDHash=${JSON.stringify(keyIdHash(statusKeyId))}`,
      `encryptKeyIDHash=${JSON.stringify(keyIdHash(made.write?.keyId ?? ""))}`,
      `stateKeyIDHash=${JSON.stringify(keyIdHash(state?.write.keyId ?? ""))}`,
      `expirationTimestamp=${state === undefined ? "0001-01-01T00:00:00Z" : timeOf(state.until)}`,
    ];
    return `failed to rotate DEK ${fields.join(", ")}`;
  }
  const timeOf = (monotonic: number): string =>
    `${new Date(clock.now() + monotonic - clock.monotonic()).toISOString().slice(0, 19)}Z`;

  async function makeSeed(uid: string): Promise<{ readonly write?: WriteKey; readonly problem?: string }> {
    const seed = randomBytes(seedBytes);
    try {
      const { ciphertext, keyId, annotations } = await connection.call(encrypt2, { plaintext: seed, uid });
      const write = { seed, keyId, wrapped: ciphertext, annotations, type: sourceTypes.extendedNonceSeed };
      const problem = problemWithSource(write);
      return problem === undefined ? { write } : { problem };
    } catch (error) {
      return { problem: `failed to encrypt DEK, error: ${messageOf(error)}` };
    }
  }

  async function judge({ healthz, version, keyId }: PluginStatus): Promise<string | undefined> {
    const reasons: string[] = [];
    if (healthz !== "ok") reasons.push(`got unexpected healthz status: ${healthz.slice(0, 300)}`);
    if (!versions.includes(version)) reasons.push(`expected KMSv2 API version v2, got ${version.slice(0, 300)}`);
    const badKeyId = problemWithKeyId(keyId);
    if (badKeyId === undefined) {
      metrics.statusKeyId(name, keyId);
      const problem = await keepSeed(keyId);
      if (problem !== undefined) reasons.push(problem);
    } else {
      metrics.invalidKeyId(name, keyId === "" ? "empty" : "too_long");
      reasons.push(`got invalid KMSv2 KeyID hash ${JSON.stringify(keyIdHash(keyId))}: ${badKeyId}`);
    }
    if (reasons.length === 0) return undefined;
    const all = reasons.length === 1 ? reasons.join() : `[${reasons.join(", ")}]`;
    return `kmsv2 Provider ${name} is not healthy, error: ${all}`;
  }
  const ask = async (): Promise<string | undefined> => {
    try {
      return await judge(await connection.call(statusOf2, {}));
    } catch (error) {
      return messageOf(error);
    }
  };
  const checked = createChecked(ask, deps);

  return {
    name,
    version: "v2",
    timeoutMs,
    keys: () => ({
      type: "kms-v2",
      name,
      write: hasExpired ? undefined : state?.write,
      why: state === undefined ? noState : hasExpired ? expiredText() : "",
    }),
    health: checked.health,
    unwrap: ({ wrapped, keyId, annotations }) =>
      connection.call(decrypt2, { ciphertext: wrapped, uid: newUid(), keyId, annotations }),
    wrap: () => Promise.reject(new TypeError("seeds of v2 are wrapped here")),
    start: checked.start,
    stop() {
      checked.stop();
      cancelExpiry();
      connection.close();
    },
  };
}
