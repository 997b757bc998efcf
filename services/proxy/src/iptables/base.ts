import type { Family } from "../model/family.js";
import type { Surroundings } from "../ruleset.js";
import { type ChainNames, comment } from "./words.js";

export interface BaseOptions {
  readonly family: Family;
  readonly mark: string;
  readonly product: string;
  readonly names: ChainNames;
  /** Node ports answer at the loopback address, too; of IPv4 alone. */
  readonly localhostNodePorts: boolean;
  /** Packets out of their connection's window are let through. */
  readonly isLiberal: boolean;
  /** The program knows `--random-fully`. */
  readonly isFullyRandom: boolean;
}

export type Table = "filter" | "nat";

/** A rule that leads from a chain of the kernel's to one of ours. */
export interface Jump {
  readonly table: Table;
  readonly from: string;
  readonly to: string;
  readonly rule: string;
}

export function jumps({ names, product }: Pick<BaseOptions, "names" | "product">): readonly Jump[] {
  const isNew = "-m conntrack --ctstate NEW ";
  const row = (table: Table, from: string, to: string, told: string, matches = ""): Jump[] =>
    from.split(" ").map((chain) => ({
      ...{ table, from: chain, to },
      rule: `${matches}${told === "" ? "" : `${comment(`${product} ${told}`)} `}-j ${to}`,
    }));
  return [
    ...row("filter", "INPUT FORWARD", names.externalServices, "externally-visible service portals", isNew),
    ...row("filter", "INPUT", names.nodePorts, "health check service ports"),
    ...row("filter", "FORWARD OUTPUT", names.services, "service portals", isNew),
    ...row("filter", "FORWARD", names.forward, "forwarding rules"),
    ...row("filter", "INPUT OUTPUT FORWARD", names.proxyFirewall, "load balancer firewall", isNew),
    ...row("filter", "INPUT OUTPUT", names.firewall, ""),
    ...row("nat", "OUTPUT PREROUTING", names.services, "service portals"),
    ...row("nat", "POSTROUTING", names.postrouting, "postrouting rules"),
  ];
}

/** Chains in which no service has a part, with their rules. */
export function fixedChains(options: BaseOptions): Readonly<Record<Table, ReadonlyMap<string, readonly string[]>>> {
  const { family, mark, product, names, localhostNodePorts, isLiberal, isFullyRandom } = options;
  const isGuarded = localhostNodePorts && family === "IPv4";
  const guard = `${comment("block incoming localnet connections")} -d 127.0.0.0/8 ! -s 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP`;
  return {
    filter: new Map([
      [names.firewall, isGuarded ? [guard] : []],
      [
        names.forward,
        [
          ...(isLiberal ? [] : ["-m conntrack --ctstate INVALID -j DROP"]),
          `${comment(`${product} forwarding rules`)} -m mark --mark ${mark}/${mark} -j ACCEPT`,
          `${comment(`${product} forwarding conntrack rule`)} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`,
        ],
      ],
    ]),
    nat: new Map([
      [names.markMasquerade, [`-j MARK --or-mark ${mark}`]],
      [
        names.postrouting,
        [
          `-m mark ! --mark ${mark}/${mark} -j RETURN`,
          `-j MARK --xor-mark ${mark}`,
          `${comment(`${product} service traffic requiring SNAT`)} -j MASQUERADE${isFullyRandom ? " --random-fully" : ""}`,
        ],
      ],
    ]),
  };
}

/** The rules that lead what comes for the node's own addresses to node ports: the last ones among those of services. */
export function nodePortRules(
  { family, product, names, localhostNodePorts }: BaseOptions,
  { nodePorts }: Surroundings,
): readonly string[] {
  const told = comment(`${product} service nodeports; NOTE: this must be the last rule in this chain`);
  const withLoopback = localhostNodePorts && family === "IPv4";
  const loopback = family === "IPv4" ? "127.0.0.0/8" : "::1/128";
  if (nodePorts === "all") {
    return [`${told} -m addrtype --dst-type LOCAL ${withLoopback ? "" : `! -d ${loopback} `}-j ${names.nodePorts}`];
  }
  const isLoopback = (address: string): boolean => address.startsWith("127.") || address === "::1";
  return nodePorts
    .filter((address) => withLoopback || !isLoopback(address))
    .map((address) => `${told} -d ${address} -j ${names.nodePorts}`);
}
