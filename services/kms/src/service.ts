import type {
  EncryptionConfiguration,
  KmsProviderConfiguration,
} from "@orch/encryption/configuration/configuration.js";
import type { KeyHealth, KeyService } from "@orch/encryption/key-service.js";
import type { KeySet } from "@orch/encryption/key-set.js";
import { PluginFailure } from "@orch/encryption/plugin-keys.js";
import type { Clock } from "@orch/status/clock.js";
import { type Active, activate, graceMs } from "./active.js";
import { type HealthCheck, healthChecks } from "./health-checks.js";
import type { Provider } from "./providers/provider.js";

export interface KmsConfig {
  readonly configuration: EncryptionConfiguration;
  /** The file is read again when it changes. */
  readonly reloads: boolean;
}

export interface KmsDeps {
  readonly createProvider: (configuration: KmsProviderConfiguration, changed: () => void) => Provider;
  readonly clock: Pick<Clock, "monotonic" | "after">;
}

/** Holds the keys and the plugins of a configuration, and tells the keys to who follows. */
export interface Kms extends KeyService {
  /** Asks the plugins; settles whether they answer or not. */
  start(): Promise<void>;
  /** Puts another configuration in force once its plugins are well. @throws Error where they are not in time */
  replace(configuration: EncryptionConfiguration): Promise<void>;
  readonly checks: readonly HealthCheck[];
  stop(): void;
}

/** How long the plugins of a new configuration are waited for. */
const patienceMs = 10_000;
const askAgainMs = 100;

export function createKms({ configuration, reloads }: KmsConfig, { createProvider, clock }: KmsDeps): Kms {
  const followers = new Set<(keys: KeySet) => void>();
  const alive = new Set<Active>();
  const tell = (): void => {
    const keys = active.keys();
    for (const run of followers) run(keys);
  };
  const begin = (next: EncryptionConfiguration): Active => {
    const made: Active = activate(next, (each) => createProvider(each, () => made === active && isStarted && tell()));
    alive.add(made);
    return made;
  };
  const end = (one: Active): void => {
    alive.delete(one);
    one.stop();
  };
  let isStarted = false;
  let active = begin(configuration);
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));

  /** The provider of now, or of a configuration that was in force a moment ago. */
  const find = (name: string, version: "v1" | "v2"): Provider => {
    for (const one of [active, ...alive]) {
      const found = one.find(name, version);
      if (found !== undefined) return found;
    }
    throw new PluginFailure(`there is no KMS provider ${name}`, false);
  };

  const checks = healthChecks(() => active, { reloads });
  const health = async (): Promise<KeyHealth> => ({
    checks: await Promise.all(checks.map(async ({ name, run }) => ({ name, reason: (await run()) ?? "" }))),
    reloads,
  });

  return {
    checks,
    async start() {
      await active.start();
      isStarted = true;
      tell();
    },
    async replace(next) {
      const made = begin(next);
      await made.start();
      const until = clock.monotonic() + patienceMs;
      for (;;) {
        const reason = await made.health();
        if (reason === undefined) break;
        if (clock.monotonic() < until) {
          await pause(askAgainMs);
          continue;
        }
        end(made);
        throw new Error(`health check for new transformers failed: ${reason}`);
      }
      const before = active;
      active = made;
      tell();
      clock.after(graceMs(before), () => end(before));
    },
    follow(run) {
      followers.add(run);
      if (isStarted) run(active.keys());
      return () => void followers.delete(run);
    },
    health,
    plugins: {
      unwrap: async (key) => find(key.provider, key.version).unwrap(key),
      wrap: async (provider, key) => find(provider, "v1").wrap(key),
    },
    stop() {
      followers.clear();
      for (const one of alive) end(one);
    },
  };
}
