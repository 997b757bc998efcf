import { flagFields } from "@orch/component-config/flag-fields.js";
import { withValueAt } from "@orch/component-config/paths.js";
import { proxyConfiguration } from "@orch/component-config/proxy/proxy.js";
import type { ProxyConfiguration } from "@orch/component-config/proxy/proxy-shape.js";
import { readConfigurations } from "@orch/component-config/read-configurations.js";
import type { Naming } from "@orch/naming/naming.js";
import { knownGates } from "./feature-gate-flags.js";

/** Which fields of the configuration stand for which flags. */
export const configurationFields = {
  orchconfig: "clientConnection.orchconfig",
  "hostname-override": "hostnameOverride",
  "bind-address": "bindAddress",
  "healthz-bind-address": "healthzBindAddress",
  "metrics-bind-address": "metricsBindAddress",
  profiling: "enableProfiling",
  "bind-address-hard-fail": "bindAddressHardFail",
  "proxy-mode": "mode",
  "cluster-cidr": "clusterCIDR",
  "detect-local-mode": "detectLocalMode",
  "pod-bridge-interface": "detectLocal.bridgeInterface",
  "pod-interface-name-prefix": "detectLocal.interfaceNamePrefix",
  "nodeport-addresses": "nodePortAddresses",
  "masquerade-all": "iptables.masqueradeAll",
  "oom-score-adj": "oomScoreAdj",
  "conntrack-max-per-core": "conntrack.maxPerCore",
  "conntrack-min": "conntrack.min",
  "conntrack-tcp-timeout-established": "conntrack.tcpEstablishedTimeout",
  "conntrack-tcp-timeout-close-wait": "conntrack.tcpCloseWaitTimeout",
  "conntrack-tcp-be-liberal": "conntrack.tcpBeLiberal",
  "conntrack-udp-timeout": "conntrack.udpTimeout",
  "conntrack-udp-timeout-stream": "conntrack.udpStreamTimeout",
  "iptables-localhost-nodeports": "iptables.localhostNodePorts",
  "iptables-masquerade-bit": "iptables.masqueradeBit",
  "iptables-min-sync-period": "iptables.minSyncPeriod",
  "iptables-sync-period": "iptables.syncPeriod",
  "nftables-masquerade-all": "nftables.masqueradeAll",
  "nftables-masquerade-bit": "nftables.masqueradeBit",
  "nftables-min-sync-period": "nftables.minSyncPeriod",
  "nftables-sync-period": "nftables.syncPeriod",
  "ipvs-exclude-cidrs": "ipvs.excludeCIDRs",
  "ipvs-min-sync-period": "ipvs.minSyncPeriod",
  "ipvs-scheduler": "ipvs.scheduler",
  "ipvs-strict-arp": "ipvs.strictARP",
  "ipvs-sync-period": "ipvs.syncPeriod",
  "ipvs-tcp-timeout": "ipvs.tcpTimeout",
  "ipvs-tcpfin-timeout": "ipvs.tcpFinTimeout",
  "ipvs-udp-timeout": "ipvs.udpTimeout",
  "config-sync-period": "configSyncPeriod",
} as const;

/** Values of those flags, as files have them. */
export type FlagTexts = Readonly<
  Partial<Record<keyof typeof configurationFields, string | number | boolean | readonly string[]>>
>;

/** OrchProxyConfiguration as `--config` takes it. */
export const configurationFile = (naming: Naming, windows: boolean) =>
  flagFields({ of: proxyConfiguration(naming, { windows, gates: knownGates }), fields: configurationFields });

export type ReadProxy =
  | { readonly ok: true; readonly config: ProxyConfiguration; readonly text: string }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The configuration that documents give, with the flags of the command line in place of their fields. */
export function readProxy(
  documents: readonly string[],
  flags: FlagTexts,
  { naming, windows }: { readonly naming: Naming; readonly windows: boolean },
): ReadProxy {
  const kind = proxyConfiguration(naming, { windows, gates: knownGates });
  const read = documents.length === 0 ? undefined : readConfigurations(documents.join("\n---\n"), [kind]);
  if (read?.ok === false) return read;
  const [document] = read?.documents ?? [];
  const fromFile = (document && kind.from(document)) ?? kind.defaults();
  const changed = Object.entries(configurationFields).reduce<Parameters<typeof kind.fill>[0]>((all, [name, path]) => {
    const value = Object.entries(flags).find(([flag]) => flag === name)?.[1];
    return value === undefined ? all : withValueAt(all, path, value);
  }, fromFile);
  const config = kind.fill(changed);
  const problems = kind.check(config);
  return problems.length === 0 ? { ok: true, config, text: kind.print(config) } : { ok: false, problems };
}
