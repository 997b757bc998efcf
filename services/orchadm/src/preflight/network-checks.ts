import { networksOf } from "@orch/component-config/rules-of-addresses.js";
import { parseAddress } from "@orch/schema/formats/ip.js";
import { serviceAddress } from "../certificates/service-address.js";
import { hostPort } from "../site.js";
import type { Tools } from "../world.js";
import { fileContent, type ReadableFiles } from "./checks.js";
import { proxyByEnvironment } from "./environment-proxy.js";
import { type Check, doubtful, wrong } from "./preflight.js";

type Environment = Pick<Tools, "environment">["environment"];

/** The port says nothing of a proxy, unless NO_PROXY names it: the reference takes this one. */
const anyPort = 1234;

/** Clients that go by the environment should reach a host of the control plane themselves. */
export const directHost = (host: string, environment: Environment): Check => ({
  name: "HTTPProxy",
  find() {
    const text = `https://${parseAddress(host)?.length === 16 ? hostPort(host, anyPort) : host}`;
    const target = URL.parse(text);
    if (target === null) return [wrong(`${JSON.stringify(text)} is no address`)];
    const proxy = proxyByEnvironment(target, environment);
    if (proxy === undefined) return [];
    return [
      doubtful(
        `Connection to ${JSON.stringify(text)} uses proxy ${shown(proxy)}. If that is not intended, adjust your proxy settings`,
      ),
    ];
  },
});

/** The same for networks of a list with commas; the first address of each stands for it. */
export const directNetworks = (networks: string, environment: Environment): readonly Check[] =>
  networks
    .split(",")
    .filter((network) => network !== "")
    .map((network) => ({
      name: "HTTPProxyCIDR",
      find() {
        const target = new URL(`https://${hostPort(serviceAddress(network, 1), anyPort)}/`);
        const proxy = proxyByEnvironment(target, environment);
        if (proxy === undefined) return [];
        return [
          doubtful(
            `connection to ${JSON.stringify(network)} uses proxy ${shown(proxy)}. This may lead to malfunctional cluster setup. Make sure that Pod and Services IP ranges specified correctly as exceptions in proxy configuration`,
          ),
        ];
      },
    }));

/** Quoted, without its password. */
function shown(proxy: URL): string {
  const safe = new URL(proxy);
  if (safe.password !== "") safe.password = "xxxxx";
  return JSON.stringify(safe.href.endsWith("/") ? safe.href.slice(0, -1) : safe.href);
}

const forwardingFiles = {
  4: "/proc/sys/net/ipv4/ip_forward",
  16: "/proc/sys/net/ipv6/conf/default/forwarding",
} as const;

export interface Forwarding {
  readonly machine: ReadableFiles;
  /** Addresses, and networks in lists with commas, whose families the machine's pods have. */
  readonly addresses: readonly string[];
  /** Whether pods run here for certain: else nobody may ever miss it. */
  readonly isNeeded: boolean;
}

/** Packets that are not for the machine itself, but for a pod on it, have to pass. */
export function forwarding({ machine, addresses, isNeeded }: Forwarding): readonly Check[] {
  const lengths = new Set(
    addresses.flatMap((text) => [
      parseAddress(text)?.length,
      ...(networksOf(text) ?? []).map(({ address }) => address.length),
    ]),
  );
  const level = isNeeded ? wrong : doubtful;
  return ([4, 16] as const)
    .filter((length) => lengths.has(length))
    .map((length) => fileContent(machine, { path: forwardingFiles[length], content: "1", level }));
}
