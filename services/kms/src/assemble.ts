import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { startReloading } from "./configuration/reload.js";
import { createKmsMetrics } from "./metrics.js";
import { connectPlugin } from "./plugin/connection.js";
import type { ProviderDeps } from "./providers/deps.js";
import { createKmsV1 } from "./providers/kms-v1.js";
import { createKmsV2 } from "./providers/kms-v2.js";
import { timesOf } from "./providers/provider.js";
import { createKms, type Kms } from "./service.js";
import type { KmsSettings } from "./settings.js";

/** What differs between a process of its own and one with other services. */
export interface AssemblyDeps {
  /** Who this process is, in metrics. */
  readonly serverId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The service that holds keys and plugins, with its metrics, on the clock and the log of its process. */
export function assembleKms({ configuration, hash, statusMs, reload }: KmsSettings, deps: AssemblyDeps): Kms {
  const { clock, log } = deps;
  const metrics = createKmsMetrics(deps.metrics, deps);
  const tell = (what: string, reason: string): void => log.warn({ reason }, what);
  const times = timesOf(statusMs);
  const kms = createKms(
    { configuration, reloads: reload !== undefined },
    {
      clock,
      createProvider(provider, changed) {
        const { name } = provider;
        const connection = connectPlugin({
          ...provider,
          now: metrics.now,
          wallClock: () => clock.now(),
          called: (path, code, started) => metrics.called(name, { path, code, started }),
        });
        const own: ProviderDeps = {
          ...{ connection, clock, times, metrics, randomBytes, changed, log: tell },
          newUid: randomUUID,
        };
        return provider.version === "v1" ? createKmsV1(provider, own) : createKmsV2(provider, own);
      },
    },
  );
  if (reload === undefined) return kms;
  let reloading: ReturnType<typeof startReloading> | undefined;
  return {
    ...kms,
    async start() {
      await kms.start();
      reloading = startReloading({ ...reload, kms, hash, clock, metrics, log: tell });
    },
    stop() {
      reloading?.stop();
      kms.stop();
    },
  };
}
