import {
  type EncryptionConfiguration,
  type KmsProviderConfiguration,
  kmsProviders,
  type ProviderConfiguration,
} from "@orch/encryption/configuration/configuration.js";
import type { KeyProvider, KeySet } from "@orch/encryption/key-set.js";
import type { Provider } from "./providers/provider.js";

/** A configuration with its plugins. */
export interface Active {
  keys(): KeySet;
  /** In the order of the file. */
  readonly providers: readonly Provider[];
  find(name: string, version: "v1" | "v2"): Provider | undefined;
  /** Why a plugin is unwell: the first, with its place. */
  health(): Promise<string | undefined>;
  /** Settles when each plugin was asked once, whatever it said. */
  start(): Promise<void>;
  stop(): void;
}

export function activate(
  configuration: EncryptionConfiguration,
  create: (configuration: KmsProviderConfiguration) => Provider,
): Active {
  const made = new Map(kmsProviders(configuration).map((each) => [each, create(each)] as const));
  const providers = [...made.values()];
  const keysOf = (provider: ProviderConfiguration): readonly KeyProvider[] => {
    if (provider.type !== "kms") return [provider];
    const own = made.get(provider);
    return own === undefined ? [] : [own.keys()];
  };
  return {
    providers,
    keys: () => ({
      rules: configuration.rules.map(({ resources, providers }) => ({
        resources,
        providers: providers.flatMap(keysOf),
      })),
    }),
    find: (name, version) => providers.find((each) => each.name === name && each.version === version),
    async health() {
      const reasons = await Promise.all(providers.map((each) => each.health()));
      const at = reasons.findIndex((reason) => reason !== undefined);
      return at < 0 ? undefined : `kms-provider-${at}: ${reasons[at]}`;
    },
    async start() {
      await Promise.all(providers.map((each) => each.start()));
    },
    stop() {
      for (const each of providers) each.stop();
    },
  };
}

/** How long the plugins of a configuration may still be asked when another one is in force. */
export function graceMs({ providers }: Active): number {
  return Math.max(
    10_000,
    providers.reduce((sum, { timeoutMs }) => sum + 2 * timeoutMs, 0),
  );
}
