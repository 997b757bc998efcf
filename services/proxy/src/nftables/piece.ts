import { type BalancedPort, externalWay, internalWay, type Way } from "../model/balance.js";
import type { Endpoint } from "../model/endpoints.js";
import { type Family, isWithin } from "../model/family.js";
import { isExternallyAccessible } from "../model/service-port.js";
import type { Surroundings } from "../ruleset.js";
import { comment, detectionRules, namesOf, type PortNames, wordsOf } from "./words.js";

/** An element of a set or a map. */
export interface Element {
  readonly container: string;
  readonly key: string;
  /** What stands behind the key: a comment and a verdict, or nothing. */
  readonly value: string;
  /** Several services may claim the same element: the lower rank wins, cluster addresses before external ones. */
  readonly rank: 0 | 1;
}

/** What one port of a service has in the table, beside what all of them share. */
export interface Piece {
  /** Rules by chain. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
  /** Definitions by set. */
  readonly sets: ReadonlyMap<string, string>;
  readonly elements: readonly Element[];
}

export interface PieceOptions {
  readonly family: Family;
  readonly masqueradesAll: boolean;
  readonly surroundings: Surroundings;
}

/** A port with its names: made once, they are asked for often. */
interface NamedPort extends BalancedPort {
  readonly names: PortNames;
}

export function pieceOf(port: BalancedPort, options: PieceOptions): Piece {
  const balanced: NamedPort = { ...port, names: namesOf(port) };
  const chains = new Map<string, readonly string[]>();
  const sets = new Map<string, string>();
  for (const [name, rules] of [...policyChains(balanced, options), ...edgeChains(balanced, options)]) {
    chains.set(name, rules);
  }
  for (const endpoint of balanced.hasEndpoints ? balanced.reachable : []) {
    const { chain, affinity } = balanced.names.of(endpoint);
    chains.set(chain, endpointRules(balanced, endpoint, options));
    const { affinitySeconds } = balanced.port;
    if (affinitySeconds === undefined) continue;
    const { addressType } = wordsOf[options.family];
    sets.set(affinity, `type ${addressType} ; flags dynamic,timeout ; timeout ${affinitySeconds}s ;`);
  }
  return { chains, sets, elements: elementsOf(balanced) };
}

/** The chains that spread connections over endpoints, one for each policy that somebody goes by. */
function policyChains(balanced: NamedPort, options: PieceOptions): readonly (readonly [string, readonly string[]])[] {
  const { port, cluster, local, hasEndpoints } = balanced;
  const { service, local: localName } = balanced.names;
  if (!hasEndpoints) return [];
  const masked = internalWay(balanced) === "balanced" ? clusterAddressRules(balanced, options) : [];
  const isLocal = port.internalPolicy === "Local";
  const chainOf = (endpoints: readonly Endpoint[], before: readonly string[]) => [
    ...before,
    ...spread(balanced, endpoints, options),
  ];
  return [
    ...(cluster.length === 0 ? [] : [[service, chainOf(cluster, isLocal ? [] : masked)] as const]),
    ...(local.length === 0 ? [] : [[localName, chainOf(local, isLocal ? masked : [])] as const]),
  ];
}

/** What comes for the cluster address from outside of the pods here is masqueraded, so that answers come back this way. */
function clusterAddressRules({ port }: BalancedPort, { family, masqueradesAll, surroundings }: PieceOptions) {
  const { ip } = wordsOf[family];
  const detection = detectionRules(surroundings.detection, wordsOf[family]);
  const about = `${ip} daddr ${port.clusterIp} ${port.protocol} dport ${port.port}`;
  if (masqueradesAll) return [`${about} jump mark-for-masquerade`];
  return detection === undefined ? [] : [`${about} ${detection.isNotLocal} jump mark-for-masquerade`];
}

function spread(balanced: NamedPort, endpoints: readonly Endpoint[], { family }: PieceOptions): readonly string[] {
  const names = endpoints.map((endpoint) => balanced.names.of(endpoint));
  const { ip } = wordsOf[family];
  const known =
    balanced.port.affinitySeconds === undefined
      ? []
      : names.map(({ chain, affinity }) => `${ip} saddr @${affinity} goto ${chain}`);
  const verdicts = names.map(({ chain }, i) => `${i} : goto ${chain}`).join(" , ");
  return [...known, `numgen random mod ${names.length} vmap { ${verdicts} }`];
}

function endpointRules(balanced: NamedPort, endpoint: Endpoint, { family }: PieceOptions): readonly string[] {
  const { ip } = wordsOf[family];
  const { protocol, affinitySeconds } = balanced.port;
  const { affinity } = balanced.names.of(endpoint);
  return [
    // A pod that reaches itself through its service has to see another source than itself.
    `${ip} saddr ${endpoint.address} jump mark-for-masquerade`,
    ...(affinitySeconds === undefined ? [] : [`update @${affinity} { ${ip} saddr }`]),
    `meta l4proto ${protocol} dnat to ${endpoint.text}`,
  ];
}

/** The chains of what comes for external addresses and node ports. */
function edgeChains(
  balanced: NamedPort,
  { family, surroundings }: PieceOptions,
): readonly (readonly [string, readonly string[]])[] {
  const { port, hasEndpoints, local } = balanced;
  const names = balanced.names;
  if (!hasEndpoints || !isExternallyAccessible(port)) return [];
  const { ip } = wordsOf[family];
  const detection = detectionRules(surroundings.detection, wordsOf[family]);
  const toLocal = [
    ...(detection === undefined
      ? []
      : [`${detection.isLocal} goto ${names.service} ${comment("short-circuit pod traffic")}`]),
    `fib saddr type local jump mark-for-masquerade ${comment("masquerade local traffic")}`,
    `fib saddr type local goto ${names.service} ${comment("short-circuit local traffic")}`,
    ...(local.length === 0 ? [] : [`goto ${names.local}`]),
  ];
  const toAll = ["jump mark-for-masquerade", `goto ${names.service}`];
  const external = [names.external, port.externalPolicy === "Local" ? toLocal : toAll] as const;
  if (!isFiltered(balanced)) return [external];
  // The load balancer's address may be one of the node's: then what the node sends there comes from it.
  const isOwn = surroundings.address !== undefined && isWithin(surroundings.address, port.sourceRanges);
  const sources = [
    ...port.sourceRanges,
    ...(isOwn ? port.loadBalancerIps.filter((vip) => !isWithin(vip, port.sourceRanges)) : []),
  ];
  return [external, [names.firewall, [`${ip} saddr != { ${sources.join(", ")} } drop`]]];
}

const isFiltered = ({ port, hasEndpoints }: BalancedPort): boolean =>
  hasEndpoints && port.loadBalancerIps.length > 0 && port.sourceRanges.length > 0;

function elementsOf(balanced: NamedPort): readonly Element[] {
  const { port } = balanced;
  const { protocol } = port;
  const names = balanced.names;
  const [inside, outside] = [internalWay(balanced), externalWay(balanced)];
  const external = [...new Set([...port.externalIps, ...port.loadBalancerIps])];
  const at = (address: string): string => `${address} . ${protocol} . ${port.port}`;
  const nodePort = `${protocol} . ${port.nodePort}`;
  const told = comment(port.text);
  const refusal = (container: string, key: string, way: Way, rank: 0 | 1): Element => ({
    ...{ container, key, rank },
    value: `${told} : ${way === "dropped" ? "drop" : "goto reject-chain"}`,
  });
  const insideChain = port.internalPolicy === "Local" ? names.local : names.service;
  const leads = (container: string, key: string, chain: string, rank: 0 | 1): Element => ({
    ...{ container, key, rank, value: `: goto ${chain}` },
  });
  const hasNodePort = port.nodePort !== 0;
  return [
    { container: "cluster-ips", key: port.clusterIp, value: "", rank: 0 },
    inside === "balanced"
      ? leads("service-ips", at(port.clusterIp), insideChain, 0)
      : refusal("no-endpoint-services", at(port.clusterIp), inside, 0),
    // Pods and the node itself reach every endpoint, so that rules lead there even where the rest is dropped.
    ...(outside === "rejected"
      ? []
      : [
          ...external.map((address) => leads("service-ips", at(address), names.external, 1)),
          ...(hasNodePort ? [leads("service-nodeports", nodePort, names.external, 1)] : []),
        ]),
    ...(outside === "balanced"
      ? []
      : [
          ...external.map((address) => refusal("no-endpoint-services", at(address), outside, 1)),
          ...(hasNodePort ? [refusal("no-endpoint-nodeports", nodePort, outside, 1)] : []),
        ]),
    ...(isFiltered(balanced)
      ? port.loadBalancerIps.map((address) => ({
          ...{ container: "firewall-ips", key: at(address), rank: 1 as const },
          value: `${told} : goto ${names.firewall}`,
        }))
      : []),
  ];
}
