/** A data key that a plugin wrapped. */
export interface WrappedKey {
  /** Of the provider in the configuration. */
  readonly provider: string;
  readonly version: "v1" | "v2";
  readonly wrapped: Buffer;
  /** v2 alone. */
  readonly keyId: string;
  readonly annotations: Readonly<Record<string, Buffer>>;
}

/** Who asks plugins. Both reject with a {@link PluginFailure}. */
export interface PluginKeys {
  unwrap(key: WrappedKey): Promise<Buffer>;
  /** v1 alone: a plugin of v2 wraps seeds, which come with the key set. */
  wrap(provider: string, key: Buffer): Promise<Buffer>;
}

/** Why a plugin gave no answer, or none that can be used. */
export class PluginFailure extends Error {
  /** Nobody answered: the next question would wait as long. */
  readonly away: boolean;

  constructor(message: string, away: boolean) {
    super(message);
    this.name = "PluginFailure";
    this.away = away;
  }
}

/** Where no plugin is configured nobody asks one. */
export const noPlugins: PluginKeys = {
  unwrap: ({ provider }) => Promise.reject(new PluginFailure(`there is no KMS provider ${provider}`, false)),
  wrap: (provider) => Promise.reject(new PluginFailure(`there is no KMS provider ${provider}`, false)),
};
