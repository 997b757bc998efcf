import type { ProfilingPages } from "@orch/runtime/service.js";
import type { OwnProxy } from "@orch/service-proxy/own-settings.js";
import { proxyAccount } from "./controller-identities.js";
import type { ControllersDeps, Reach } from "./controllers.js";
import { onceReady, type RunningClients } from "./once-ready.js";

/** Writes the rules of services into this machine's kernel, as a client of this server. */
export function startProxy(
  { settings, configText, backends }: OwnProxy,
  deps: ControllersDeps & { readonly profiling: ProfilingPages },
  reach: Reach,
): RunningClients {
  return onceReady("the proxy", deps, async () => {
    const [{ createProxyService }, { interfaceAddresses, setSystemValues }] = await Promise.all([
      import("@orch/service-proxy/service.js"),
      import("@orch/service-proxy/machine.js"),
    ]);
    const client = await reach.clientOf(proxyAccount, await deps.observer());
    const mirror = await deps.mirror.of(client);
    setSystemValues(settings, deps.log);
    const service = createProxyService(settings, { ...deps, ...backends, mirror, configText, interfaceAddresses });
    await service.start();
    return async () => {
      await service.stop();
      await client.close();
    };
  });
}
