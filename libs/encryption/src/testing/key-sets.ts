import type { EncryptionConfiguration, ProviderConfiguration } from "../configuration/configuration.js";
import type { KeyProvider, KeySet } from "../key-set.js";
import { xorKeys, xorWriteKey } from "./xor-plugin.js";

/** The keys of a configuration whose plugins are {@link xorPlugin}s and know one key. */
export function keysOf({ rules }: EncryptionConfiguration, keyId = "key-1"): KeySet {
  const keys = (provider: ProviderConfiguration): KeyProvider => {
    if (provider.type !== "kms") return provider;
    const { name, version, cacheSize } = provider;
    return version === "v1" ? { type: "kms-v1", name, cacheSize } : xorKeys(name, xorWriteKey(keyId));
  };
  return { rules: rules.map(({ resources, providers }) => ({ resources, providers: providers.map(keys) })) };
}
