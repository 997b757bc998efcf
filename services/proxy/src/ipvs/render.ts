import { type BalancedPort, externalWay, internalWay } from "../model/balance.js";
import type { Endpoint } from "../model/endpoints.js";
import { type Family, withPort } from "../model/family.js";
import type { Protocol } from "../model/service-port.js";
import type { Surroundings } from "../ruleset.js";

export interface IpvsOptions {
  readonly family: Family;
  /** `rr` where the configuration says nothing. */
  readonly scheduler: string;
  /** `KUBE-`. */
  readonly prefix: string;
  readonly surroundings: Pick<Surroundings, "nodePorts">;
}

/** What the mode ipvs would have in the kernel, as input of the programs that write it. */
export interface IpvsText {
  /** Addresses of the device that makes the node answer for services. */
  readonly addresses: readonly string[];
  /** For `ipvsadm -R`. */
  readonly servers: string;
  /** For `ipset restore`. */
  readonly sets: string;
}

const flags: Readonly<Record<Protocol, string>> = { tcp: "-t", udp: "-u", sctp: "--sctp-service" };

/** Virtual servers and sets of all ports; `nodePorts: "all"` gives no virtual servers for node ports: addresses must be named. */
export function renderIpvs(ports: readonly BalancedPort[], options: IpvsOptions): IpvsText {
  const servers = ports.flatMap((port) => virtualServers(port, options));
  const addresses = ports.flatMap(({ port }) => [port.clusterIp, ...port.externalIps, ...port.loadBalancerIps]);
  return {
    addresses: [...new Set(addresses)].sort(),
    servers: servers.length === 0 ? "" : `${servers.join("\n")}\n`,
    sets: setsText(ports, options),
  };
}

function virtualServers(balanced: BalancedPort, { scheduler, surroundings }: IpvsOptions): readonly string[] {
  const { port, cluster, local } = balanced;
  const { nodePorts } = surroundings;
  const kind = flags[port.protocol];
  const sticky = port.affinitySeconds === undefined ? "" : ` -p ${port.affinitySeconds}`;
  const server = (at: string, endpoints: readonly Endpoint[]): readonly string[] => [
    `-A ${kind} ${at} -s ${scheduler}${sticky}`,
    ...endpoints.map(({ text }) => `-a ${kind} ${at} -r ${text} -m -w 1`),
  ];
  const inside = internalWay(balanced) !== "balanced" ? [] : port.internalPolicy === "Local" ? local : cluster;
  const outside = externalWay(balanced) !== "balanced" ? [] : port.externalPolicy === "Local" ? local : cluster;
  const external = [...new Set([...port.externalIps, ...port.loadBalancerIps])];
  const nodes = port.nodePort === 0 || nodePorts === "all" ? [] : nodePorts;
  return [
    ...server(withPort(port.clusterIp, port.port), inside),
    ...external.flatMap((address) => server(withPort(address, port.port), outside)),
    ...nodes.flatMap((address) => server(withPort(address, port.nodePort), outside)),
  ];
}

function setsText(ports: readonly BalancedPort[], { family, prefix }: IpvsOptions): string {
  const inet = family === "IPv4" ? "inet" : "inet6";
  const byPort = `hash:ip,port family ${inet}`;
  const at = (address: string, { port }: BalancedPort): string => `${address},${port.protocol}:${port.port}`;
  const isLocal = ({ port }: BalancedPort): boolean => port.externalPolicy === "Local";
  const vips = (wanted: (balanced: BalancedPort) => boolean): readonly string[] =>
    ports.filter(wanted).flatMap((each) => each.port.loadBalancerIps.map((address) => at(address, each)));
  const isGuarded = ({ port }: BalancedPort): boolean => port.sourceRanges.length > 0;
  const nodePortsOf = (protocol: Protocol, wanted: (balanced: BalancedPort) => boolean): readonly string[] =>
    ports
      .filter((each) => each.port.protocol === protocol && each.port.nodePort !== 0 && wanted(each))
      .map(({ port }) => String(port.nodePort));
  const externalOf = (wanted: (balanced: BalancedPort) => boolean): readonly string[] =>
    ports.filter(wanted).flatMap((each) => each.port.externalIps.map((address) => at(address, each)));
  const all = (): boolean => true;
  const sets: readonly (readonly [string, string, readonly string[]])[] = [
    ["CLUSTER-IP", byPort, ports.map((each) => at(each.port.clusterIp, each))],
    [
      "LOOP-BACK",
      `hash:ip,port,ip family ${inet}`,
      ports.flatMap(({ port, local }) =>
        local.map((endpoint) => `${endpoint.address},${port.protocol}:${endpoint.port},${endpoint.address}`),
      ),
    ],
    ["EXTERNAL-IP", byPort, externalOf((each) => !isLocal(each))],
    ["EXTERNAL-IP-LOCAL", byPort, externalOf(isLocal)],
    ["LOAD-BALANCER", byPort, vips(all)],
    ["LOAD-BALANCER-LOCAL", byPort, vips(isLocal)],
    ["LOAD-BALANCER-FW", byPort, vips(isGuarded)],
    [
      "LOAD-BALANCER-SOURCE-CIDR",
      `hash:ip,port,net family ${inet}`,
      ports.flatMap((each) =>
        each.port.loadBalancerIps.flatMap((vip) => each.port.sourceRanges.map((range) => `${at(vip, each)},${range}`)),
      ),
    ],
    ["NODE-PORT-TCP", "bitmap:port range 0-65535", nodePortsOf("tcp", all)],
    ["NODE-PORT-LOCAL-TCP", "bitmap:port range 0-65535", nodePortsOf("tcp", isLocal)],
    ["NODE-PORT-UDP", "bitmap:port range 0-65535", nodePortsOf("udp", all)],
    ["NODE-PORT-LOCAL-UDP", "bitmap:port range 0-65535", nodePortsOf("udp", isLocal)],
    [
      "HEALTH-CHECK-NODE-PORT",
      "bitmap:port range 0-65535",
      ports.filter(({ port }) => port.healthCheckNodePort !== 0).map(({ port }) => String(port.healthCheckNodePort)),
    ],
  ];
  const lines = sets.flatMap(([name, type, entries]) => [
    `create ${prefix}${name} ${type} -exist`,
    `flush ${prefix}${name}`,
    ...[...new Set(entries)].sort().map((entry) => `add ${prefix}${name} ${entry}`),
  ]);
  return `${lines.join("\n")}\n`;
}
