import { createEncryption, type Encryption } from "@orch/encryption/encryption.js";
import { registerRingMetrics } from "@orch/encryption/ring/registered-metrics.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { assembleKms } from "@orch/service-kms/assemble.js";
import type { KmsSettings } from "@orch/service-kms/settings.js";
import type { ResourceName } from "@orch/status/api-error.js";
import type { Key } from "@orch/store/revision.js";

export interface LocalEncryptionDeps {
  readonly serverId: string;
  readonly resourceAt: (key: Key) => ResourceName | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface LocalEncryption extends Pick<Encryption, "wrap" | "onOtherKeys" | "health"> {
  /** Settles when plugins were asked for the first time. */
  start(): Promise<void>;
  stop(): void;
}

/** Keys, plugins and the store that uses them, in one process. */
export function createLocalEncryption(settings: KmsSettings, deps: LocalEncryptionDeps): LocalEncryption {
  const kms = assembleKms(settings, deps);
  const encryption = createEncryption({ ...deps, keys: kms, metrics: registerRingMetrics(deps.metrics, deps) });
  return {
    ...encryption,
    async start() {
      await kms.start();
      encryption.start();
    },
    stop() {
      encryption.stop();
      kms.stop();
    },
  };
}
