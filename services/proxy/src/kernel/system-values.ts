import type { ProxyConfiguration } from "@orch/component-config/proxy/proxy-shape.js";
import { durationMs } from "@orch/schema/formats/duration.js";

/** A value of the kernel's: below `/proc/sys`. */
export interface SystemValue {
  /** `net/netfilter/nf_conntrack_max`. */
  readonly path: string;
  readonly value: string;
}

const seconds = (text: string): number => Math.floor((durationMs(text) ?? 0) / 1000);

/** What the configuration wants of the kernel beside rules; zero leaves a value what it is. */
export function systemValues(
  config: Pick<ProxyConfiguration, "conntrack" | "iptables">,
  machine: { readonly cpus: number; readonly routesLocalnet: boolean },
): readonly SystemValue[] {
  const { maxPerCore, min, tcpBeLiberal, ...times } = config.conntrack;
  const entries = maxPerCore > 0 ? Math.max(min, maxPerCore * machine.cpus) : 0;
  const timeouts = [
    ["nf_conntrack_tcp_timeout_established", seconds(times.tcpEstablishedTimeout)],
    ["nf_conntrack_tcp_timeout_close_wait", seconds(times.tcpCloseWaitTimeout)],
    ["nf_conntrack_udp_timeout", seconds(times.udpTimeout)],
    ["nf_conntrack_udp_timeout_stream", seconds(times.udpStreamTimeout)],
  ] as const;
  const numbers = [["nf_conntrack_max", entries], ...timeouts] as const;
  return [
    ...(machine.routesLocalnet ? [{ path: "net/ipv4/conf/all/route_localnet", value: "1" }] : []),
    ...numbers
      .filter(([, number]) => number > 0)
      .map(([name, number]) => ({ path: `net/netfilter/${name}`, value: String(number) })),
    ...(tcpBeLiberal ? [{ path: "net/netfilter/nf_conntrack_tcp_be_liberal", value: "1" }] : []),
  ];
}
