import type { KeySet } from "./key-set.js";
import type { PluginKeys } from "./plugin-keys.js";

export interface KeyHealth {
  /** The reason is "" where nothing is wrong. */
  readonly checks: readonly { readonly name: string; readonly reason: string }[];
  /** The configuration is read again when it changes. */
  readonly reloads: boolean;
}

/** Where the keys of a process come from: services/kms, in this process or in another one. */
export interface KeyService {
  /** Tells the keys now and with every change, until the returned function is called. */
  follow(run: (keys: KeySet) => void): () => void;
  readonly plugins: PluginKeys;
  /** The health checks of plugins. */
  health(): Promise<KeyHealth>;
}
