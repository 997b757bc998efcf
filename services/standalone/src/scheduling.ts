import type { OwnSettings } from "@orch/service-scheduler/service.js";
import { schedulerAccount } from "./controller-identities.js";
import type { ControllersDeps, Reach } from "./controllers.js";
import { onceReady, type RunningClients } from "./once-ready.js";

/** Gives pods their nodes, as a client of this server. */
export function startScheduler(settings: OwnSettings, deps: ControllersDeps, reach: Reach): RunningClients {
  return onceReady("the scheduler", deps, async () => {
    const { createSchedulerService } = await import("@orch/service-scheduler/service.js");
    const client = await reach.clientOf(schedulerAccount, await deps.observer());
    const random = Math.random;
    const mirror = await deps.mirror.of(client);
    const { plugins, hasDevices } = settings;
    const own = { plugins, hasDevices };
    const service = createSchedulerService(settings, { ...deps, client, mirror, random, ...own });
    await service.start();
    return async () => {
      await service.stop();
      await client.close();
    };
  });
}
