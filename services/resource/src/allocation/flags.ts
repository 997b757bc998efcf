import type { Flag, FlagValue } from "@orch/runtime/flags/flag-types.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { formatNetwork, type Network, ordinaryAddress, parseAddress, parseNetwork } from "@orch/schema/formats/ip.js";
import type { PoolsConfig, PortRange } from "./pools.js";

const refused = (problem: string): { readonly ok: false; readonly problem: string } => ({ ok: false, problem });

const usualNetworks: readonly Network[] = [{ address: [10, 0, 0, 0], bits: 24 }];
const usualPorts: PortRange = { first: 30_000, last: 32_767 };
const leastAddresses = 8;
/** Ranges are kept number by number: larger ones add nothing. */
const mostBits = 20;
const lastPort = 65_535;

/** Flags of everything that gives services their addresses and node ports; the reference server's names. */
export const allocationFlags = {
  "service-cluster-ip-range": {
    type: "cidr[,cidr]",
    default: usualNetworks,
    shownDefault: usualNetworks.map(formatNetwork).join(","),
    help: "addresses that services are given, one range or one of each family; the first is the default family",
    group: "Services",
    read: readNetworks,
    show: (networks) => networks.map(formatNetwork).join(","),
  } satisfies Flag<readonly Network[]>,
  "service-node-port-range": {
    type: "first-last",
    default: usualPorts,
    shownDefault: `${usualPorts.first}-${usualPorts.last}`,
    help: "ports of the nodes that services of type NodePort and LoadBalancer are given, both ends included",
    group: "Services",
    read: readPorts,
    show: ({ first, last }) => `${first}-${last}`,
  } satisfies Flag<PortRange>,
} as const;

/** What {@link allocationFlags} say. */
export function allocationConfig(values: FlagValues<typeof allocationFlags>): PoolsConfig {
  return { addresses: values["service-cluster-ip-range"], nodePorts: values["service-node-port-range"] };
}

export const advertiseAddressFlag: Flag<string> = {
  type: "address",
  default: "",
  shownDefault: "",
  help: "address at which the cluster reaches the API; endpoints of the root service tell it",
  group: "Services",
  read(text) {
    if (text === "") return { ok: true, value: text };
    if (parseAddress(text) === undefined) return refused(`failed to parse IP: ${JSON.stringify(text)}`);
    const [problem] = ordinaryAddress(text);
    return problem === undefined ? { ok: true, value: text } : refused(`no endpoint can have it: ${problem}`);
  },
  show: (address) => address,
};

export function readNetworks(text: string): FlagValue<readonly Network[]> {
  if (text.trim() === "") return { ok: true, value: usualNetworks };
  const name = "service-cluster-ip-range";
  const networks: Network[] = [];
  for (const [i, part] of text.split(",").entries()) {
    const network = parseNetwork(part.trim());
    if (network === undefined && i < 2)
      return refused(`${name}[${i}] is not ${i === 0 ? "a valid cidr" : "an ip net"}`);
    if (network !== undefined) networks.push(network);
  }
  for (const [i, { address, bits }] of networks.slice(0, 2).entries()) {
    const which = i === 0 ? "primary" : "secondary";
    if (2 ** (address.length * 8 - bits) >= leastAddresses) continue;
    return refused(
      `error determining service IP ranges for ${which} service cidr: the service cluster IP range must be at least ${leastAddresses} IP addresses`,
    );
  }
  if (text.split(",").length > 2) return refused(`--${name} must not contain more than two entries`);
  const [first, second] = networks;
  if (first !== undefined && first.address.length === second?.address.length) {
    return refused(`--${name}[0] and --${name}[1] must be of different IP family`);
  }
  for (const [i, { address, bits }] of networks.entries()) {
    const all = address.length * 8;
    if (all - bits <= mostBits) continue;
    const flag = i === 0 ? `--${name}` : `--${name}[1]`;
    return refused(`specified ${flag} is too large; for ${all}-bit addresses, the mask must be >= ${all - mostBits}`);
  }
  return { ok: true, value: networks };
}

/** `30000-32767`, `30000+2767` or `30000`. */
export function readPorts(text: string): FlagValue<PortRange> {
  const value = text.trim();
  if (value === "") return { ok: true, value: usualPorts };
  const [from = "", to, ...rest] = value.split(/[-+]/);
  if (rest.length > 0) return refused(`unable to parse port range: ${value}`);
  for (const part of [from, to ?? from]) {
    if (!/^\d{1,9}$/.test(part)) return refused(`parsing ${JSON.stringify(part)}: invalid syntax`);
  }
  const first = Number(from);
  const last = to === undefined ? first : value.includes("+") ? first + Number(to) : Number(to);
  if (first > lastPort || last > lastPort) {
    return refused(`the port range cannot be greater than ${lastPort}: ${value}`);
  }
  if (last < first) return refused(`end port cannot be less than start port: ${value}`);
  return { ok: true, value: { first, last } };
}
