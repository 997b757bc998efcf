import { type BalancedPort, externalWay, internalWay, type Way } from "../model/balance.js";
import type { Endpoint } from "../model/endpoints.js";
import { isWithin } from "../model/family.js";
import { isExternallyAccessible } from "../model/service-port.js";
import type { Surroundings } from "../ruleset.js";
import type { Table } from "./base.js";
import { type ChainNames, comment, detectionRules, namesOf, type PortNames } from "./words.js";

/** A rule in a chain that services share. */
export interface SharedRule {
  readonly table: Table;
  readonly chain: string;
  /** Of rules for the same packets the first one holds: those for cluster addresses come before those for external ones. */
  readonly rank: 0 | 1;
  readonly rule: string;
}

/** What one port of a service has: rules without their chain's name. */
export interface Piece {
  /** Its own chains, all in nat. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
  readonly shared: readonly SharedRule[];
}

export interface PieceOptions {
  /** `KUBE-`. */
  readonly prefix: string;
  readonly names: ChainNames;
  readonly masqueradesAll: boolean;
  /** Rules of single services and endpoints say whose they are. */
  readonly isCommented: boolean;
  readonly surroundings: Surroundings;
}

interface Parts extends PieceOptions {
  readonly balanced: BalancedPort;
  readonly own: PortNames;
}

type Chain = readonly [name: string, rules: readonly string[]];

export function pieceOf(balanced: BalancedPort, options: PieceOptions): Piece {
  const parts: Parts = { ...options, balanced, own: namesOf(balanced, options.prefix) };
  const chains = balanced.hasEndpoints
    ? [
        ...externalChains(parts),
        ...policyChains(parts),
        ...balanced.reachable.map((each) => endpointChain(parts, each)),
      ]
    : [];
  return { chains: new Map(chains), shared: [...internalRules(parts), ...externalRules(parts), ...healthRules(parts)] };
}

const protocolMatch = (protocol: string): string => `-m ${protocol} -p ${protocol}`;

const to = ({ balanced: { port } }: Parts, address: string): string =>
  `${protocolMatch(port.protocol)} -d ${address} --dport ${port.port}`;

function policyChains(parts: Parts): readonly Chain[] {
  const { balanced, own, masqueradesAll, surroundings, names } = parts;
  const { port, cluster, local } = balanced;
  const about = `${comment(`${port.text} cluster IP`)} ${to(parts, port.clusterIp)}`;
  const detection = detectionRules(surroundings.detection);
  const marked = masqueradesAll ? about : detection && `${about} ${detection.isNotLocal}`;
  const masked =
    marked === undefined || internalWay(balanced) !== "balanced" ? [] : [`${marked} -j ${names.markMasquerade}`];
  const isLocal = port.internalPolicy === "Local";
  return [
    ...(cluster.length === 0 ? [] : [[own.cluster, [...(isLocal ? [] : masked), ...spread(parts, cluster)]] as const]),
    ...(local.length === 0 ? [] : [[own.local, [...(isLocal ? masked : []), ...spread(parts, local)]] as const]),
  ];
}

/** Each endpoint takes its share of what those before it have left. */
function spread({ balanced, own, isCommented }: Parts, endpoints: readonly Endpoint[]): readonly string[] {
  const { text, affinitySeconds } = balanced.port;
  const told = (endpoint: Endpoint): string => (isCommented ? `${comment(`${text} -> ${endpoint.text}`)} ` : "");
  const known = endpoints.map((endpoint) => {
    const chain = own.of(endpoint);
    return `${told(endpoint)}-m recent --name ${chain} --rcheck --seconds ${affinitySeconds} --reap -j ${chain}`;
  });
  const shares = endpoints.map((endpoint, i) => {
    const left = endpoints.length - i;
    const share = left === 1 ? "" : `-m statistic --mode random --probability ${(1 / left).toFixed(10)} `;
    return `${told(endpoint)}${share}-j ${own.of(endpoint)}`;
  });
  return affinitySeconds === undefined ? shares : [...known, ...shares];
}

function endpointChain({ balanced, own, isCommented, names }: Parts, endpoint: Endpoint): Chain {
  const { text, protocol, affinitySeconds } = balanced.port;
  const told = isCommented ? `${comment(text)} ` : "";
  const chain = own.of(endpoint);
  const noted = affinitySeconds === undefined ? "" : `-m recent --name ${chain} --set `;
  return [
    chain,
    [
      // A pod that reaches itself through its service has to see another source than itself.
      `${told}-s ${endpoint.address} -j ${names.markMasquerade}`,
      `${told}${noted}${protocolMatch(protocol)} -j DNAT --to-destination ${endpoint.text}`,
    ],
  ];
}

/** The chains of what comes for external addresses and node ports. */
function externalChains(parts: Parts): readonly Chain[] {
  const { balanced, own, surroundings, names } = parts;
  const { port, local } = balanced;
  if (!isExternallyAccessible(port)) return [];
  const told = (text: string): string => comment(`${text} for ${port.text} external destinations`);
  const detection = detectionRules(surroundings.detection);
  const here = "-m addrtype --src-type LOCAL";
  const toLocal = [
    ...(detection === undefined ? [] : [`${told("pod traffic")} ${detection.isLocal} -j ${own.cluster}`]),
    `${told("masquerade LOCAL traffic")} ${here} -j ${names.markMasquerade}`,
    `${told("route LOCAL traffic")} ${here} -j ${own.cluster}`,
    ...(local.length === 0 ? [] : [`-j ${own.local}`]),
  ];
  const toAll = [`${told("masquerade traffic")} -j ${names.markMasquerade}`, `-j ${own.cluster}`];
  const external: Chain = [own.external, port.externalPolicy === "Local" ? toLocal : toAll];
  return isFiltered(parts) ? [external, firewallChain(parts)] : [external];
}

const isFiltered = ({ balanced: { port, hasEndpoints } }: Parts): boolean =>
  hasEndpoints && port.loadBalancerIps.length > 0 && port.sourceRanges.length > 0;

function firewallChain({ balanced: { port }, own, surroundings, names }: Parts): Chain {
  const { sourceRanges, loadBalancerIps, text } = port;
  // The load balancer's address may be one of the node's: then what the node sends there comes from it.
  const isOwn = surroundings.address !== undefined && isWithin(surroundings.address, sourceRanges);
  const sources = [...sourceRanges, ...(isOwn ? loadBalancerIps : [])];
  return [
    own.firewall,
    [
      ...sources.map((source) => `${comment(`${text} loadbalancer IP`)} -s ${source} -j ${own.external}`),
      comment(`other traffic to ${text} will be dropped by ${names.proxyFirewall}`),
    ],
  ];
}

function refusal(parts: Parts, way: Exclude<Way, "balanced">, matches: string, chain: string, rank: 0 | 1): SharedRule {
  const { text } = parts.balanced.port;
  const told = comment(way === "rejected" ? `${text} has no endpoints` : `${text} has no local endpoints`);
  const rule = `${told} ${matches} -j ${way === "rejected" ? "REJECT" : "DROP"}`;
  return { table: "filter", chain, rank, rule };
}

function internalRules(parts: Parts): readonly SharedRule[] {
  const { balanced, own, names } = parts;
  const { port } = balanced;
  const way = internalWay(balanced);
  const matches = to(parts, port.clusterIp);
  if (way !== "balanced") return [refusal(parts, way, matches, names.services, 0)];
  const chain = port.internalPolicy === "Local" ? own.local : own.cluster;
  const rule = `${comment(`${port.text} cluster IP`)} ${matches} -j ${chain}`;
  return [{ table: "nat", chain: names.services, rank: 0, rule }];
}

function externalRules(parts: Parts): readonly SharedRule[] {
  const { balanced, own, names } = parts;
  const { port } = balanced;
  const way = externalWay(balanced);
  const nodePort = `${protocolMatch(port.protocol)} --dport ${port.nodePort}`;
  const inServices = (told: string, address: string, chain: string): SharedRule => ({
    ...{ table: "nat", chain: names.services, rank: 1 },
    rule: `${comment(`${port.text} ${told}`)} ${to(parts, address)} -j ${chain}`,
  });
  const vipChain = isFiltered(parts) ? own.firewall : own.external;
  const accepted: readonly SharedRule[] =
    way === "rejected"
      ? []
      : [
          ...port.externalIps.map((address) => inServices("external IP", address, own.external)),
          ...port.loadBalancerIps.map((address) => inServices("loadbalancer IP", address, vipChain)),
          ...(port.nodePort === 0
            ? []
            : [
                {
                  ...({ table: "nat", chain: names.nodePorts, rank: 1 } as const),
                  rule: `${comment(port.text)} ${nodePort} -j ${own.external}`,
                },
              ]),
        ];
  const refused: readonly SharedRule[] =
    way === "balanced"
      ? []
      : [
          ...[...port.externalIps, ...port.loadBalancerIps].map((address) => to(parts, address)),
          ...(port.nodePort === 0 ? [] : [`-m addrtype --dst-type LOCAL ${nodePort}`]),
        ].map((matches) => refusal(parts, way, matches, names.externalServices, 1));
  const guarded: readonly SharedRule[] = isFiltered(parts)
    ? port.loadBalancerIps.map((address) => ({
        ...{ table: "filter", chain: names.proxyFirewall, rank: 1 },
        rule: `${comment(`${port.text} traffic not accepted by ${own.firewall}`)} ${to(parts, address)} -j DROP`,
      }))
    : [];
  return [...accepted, ...refused, ...guarded];
}

/** Who balances in front of nodes asks for the health of the service here. */
function healthRules({ balanced: { port }, names }: Parts): readonly SharedRule[] {
  if (port.healthCheckNodePort === 0) return [];
  const told = comment(`${port.service} health check node port`);
  const rule = `${told} ${protocolMatch("tcp")} --dport ${port.healthCheckNodePort} -j ACCEPT`;
  return [{ table: "filter", chain: names.nodePorts, rank: 0, rule }];
}
