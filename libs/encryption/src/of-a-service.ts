import { type ConnectOptions, connect } from "@orch/rpc/link/grpc-client.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { Clock } from "@orch/status/clock.js";
import { createEncryption, type Encryption, type EncryptionDeps } from "./encryption.js";
import { remoteKeys } from "./remote-keys.js";
import { registerRingMetrics } from "./ring/registered-metrics.js";

export interface ServiceEncryptionDeps extends Pick<EncryptionDeps, "resourceAt">, Pick<ConnectOptions, "security"> {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Who this process is, in metrics. */
  readonly serverId: string;
}

export interface ServiceEncryption extends Encryption {
  close(): Promise<void>;
}

/** A process's part in encryption, with the keys of services/kms at some addresses. */
export function encryptionOfService(addresses: readonly string[], deps: ServiceEncryptionDeps): ServiceEncryption {
  const { clock, log, security, resourceAt } = deps;
  const caller = connect({ target: addresses.join(","), log, security });
  const keys = remoteKeys(caller, { clock, log: (what, err) => log.warn({ err }, what) });
  const encryption = createEncryption({ keys, resourceAt, clock, metrics: registerRingMetrics(deps.metrics, deps) });
  return {
    ...encryption,
    async close() {
      encryption.stop();
      await caller.close();
    },
  };
}
