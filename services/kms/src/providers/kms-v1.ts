import type { KmsProviderConfiguration } from "@orch/encryption/configuration/configuration.js";
import { messageOf } from "@orch/status/message-of.js";
import { decrypt1, encrypt1, version1 } from "../plugin/methods.js";
import { createChecked } from "./checked.js";
import type { ProviderDeps } from "./deps.js";
import type { Provider } from "./provider.js";

const ping = Buffer.from("ping");

/** A plugin of v1: it wraps a key for each value. */
export function createKmsV1({ name, timeoutMs, cacheSize }: KmsProviderConfiguration, deps: ProviderDeps): Provider {
  const { connection } = deps;
  let isRightVersion = false;

  /** It is asked for its version before anything else, once. */
  async function checkVersion(): Promise<void> {
    if (isRightVersion) return;
    const version = await connection.call(version1, {});
    if (version !== "v1beta1") {
      throw new Error(`KMS provider api version ${version.slice(0, 300)} is not supported, only v1beta1 is supported`);
    }
    isRightVersion = true;
  }
  const wrap = async (key: Buffer): Promise<Buffer> => {
    await checkVersion();
    return connection.call(encrypt1, key);
  };
  const unwrap = async (wrapped: Buffer): Promise<Buffer> => {
    await checkVersion();
    return connection.call(decrypt1, wrapped);
  };
  const section = (what: string, error: unknown): string =>
    `failed to perform ${what} section of the healthz check for KMS Provider ${name}, error: ${messageOf(error)}`;
  const ask = async (): Promise<string | undefined> => {
    let wrapped: Buffer;
    try {
      wrapped = await wrap(ping);
    } catch (error) {
      return section("encrypt", error);
    }
    try {
      const plain = await unwrap(wrapped);
      return plain.equals(ping) ? undefined : section("decrypt", "it does not give back what it was given");
    } catch (error) {
      return section("decrypt", error);
    }
  };
  const checked = createChecked(ask, deps);
  return {
    name,
    version: "v1",
    timeoutMs,
    keys: () => ({ type: "kms-v1", name, cacheSize }),
    health: checked.health,
    unwrap: ({ wrapped }) => unwrap(wrapped),
    wrap,
    start: async () => void (await checked.health()),
    stop() {
      checked.stop();
      connection.close();
    },
  };
}
