import type { KmsV2Keys, WriteKey } from "../key-set.js";
import { PluginFailure, type PluginKeys, type WrappedKey } from "../plugin-keys.js";

const turned = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ 0x5a));

export interface XorPlugin extends PluginKeys {
  readonly asked: WrappedKey[];
  away: boolean;
}

/** The plugin of the golden samples: each byte of a key is turned. */
export function xorPlugin(): XorPlugin {
  const asked: WrappedKey[] = [];
  const orAway = <T>(self: XorPlugin, value: T): Promise<T> =>
    self.away
      ? Promise.reject(new PluginFailure("rpc error: code = Unavailable desc = away", true))
      : Promise.resolve(value);
  const plugin: XorPlugin = {
    asked,
    away: false,
    unwrap(key) {
      asked.push(key);
      return orAway(plugin, turned(key.wrapped));
    },
    wrap: (_provider, key) => orAway(plugin, turned(key)),
  };
  return plugin;
}

const annotations = { "version.encryption.example.com": Buffer.from("1") };

export function xorWriteKey(keyId = "key-1", seed = Buffer.alloc(32, 7)): WriteKey {
  return { keyId, seed, wrapped: turned(seed), annotations, type: 1 };
}

export const xorKeys = (name: string, write: WriteKey | undefined = xorWriteKey()): KmsV2Keys => ({
  type: "kms-v2",
  name,
  write,
  why: write === undefined ? "got unexpected nil transformer" : "",
});
