import { existsSync, writeFileSync } from "node:fs";
import { availableParallelism, hostname, networkInterfaces, release } from "node:os";
import type { Naming } from "@orch/naming/naming.js";
import type { Log } from "@orch/runtime/log.js";
import type { Clock } from "@orch/status/clock.js";
import { messageOf } from "@orch/status/message-of.js";
import { createPrograms } from "./kernel/programs.js";
import { systemValues } from "./kernel/system-values.js";
import type { Machine, ProxySettings } from "./settings.js";
import type { BackendDeps } from "./sides.js";

/** What a proxy wants to know of the machine that it runs on. */
export const thisMachine = (): Machine => ({
  hostname: hostname(),
  platform: process.platform,
  hasIpvs: existsSync("/proc/net/ip_vs"),
});

export const interfaceAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));

/** The programs by which this machine's kernel is told of rules. */
export function machineBackends(
  naming: Naming,
  { clock, environment }: { readonly clock: Clock; readonly environment: NodeJS.ProcessEnv },
): BackendDeps {
  const skip = `${naming.systemName("proxy").replace("-", "_").toUpperCase()}_NFTABLES_SKIP_KERNEL_VERSION_CHECK`;
  return {
    ...{ naming, run: createPrograms({ clock, environment }), kernel: release() },
    anyKernel: (environment[skip] ?? "") !== "",
  };
}

/** Values of the kernel's that the configuration wants; those that cannot be set are told of. */
export function setSystemValues({ config, mode }: ProxySettings, log: Log): void {
  const routesLocalnet = mode === "iptables" && config.iptables.localhostNodePorts;
  for (const { path, value } of systemValues(config, { cpus: availableParallelism(), routesLocalnet })) {
    try {
      writeFileSync(`/proc/sys/${path}`, value);
    } catch (error) {
      log.warn({ path, value, problem: messageOf(error) }, "a value of the kernel's could not be set");
    }
  }
}
