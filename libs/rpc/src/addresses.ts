import { lookup } from "node:dns/promises";
import { isIP, isIPv6 } from "node:net";

/** One instance of a service. */
export interface Address {
  /** As gRPC takes it: `ipv4:10.0.0.1:80`, `ipv6:[::1]:80`, `unix:/run/a.sock`. */
  readonly target: string;
  /** The name that it was resolved from. */
  readonly host: string;
}

interface HostPort {
  readonly host: string;
  readonly port: string;
}

/** Part of a target: a host, or a Unix domain socket as gRPC takes it. */
export type TargetPart = HostPort | { readonly socket: string };

/** The prefix of the path of a Unix domain socket. */
export const socketScheme = "unix:";

/**
 * `host:port[,host:port]`, each host a name (all of its addresses are used) or an IP; `dns:` in front is allowed. Or
 * `unix:path`, alone, since a path may hold commas.
 */
export function parseTarget(target: string): readonly TargetPart[] {
  if (target.startsWith(socketScheme)) return [{ socket: target }];
  return target.split(",").map((part) => {
    const match = /^(?:dns:)?(?:\[([^\]]+)\]|([^:[\]]+)):(\d+)$/.exec(part.trim());
    const host = match?.[1] ?? match?.[2];
    const port = match?.[3];
    if (host === undefined || port === undefined)
      throw new TypeError(`not a target (host:port[,host:port]): ${target}`);
    return { host, port };
  });
}

/** Finds the addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export const resolveByDns: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** Every address of a target now; a name that cannot be resolved is reported and contributes none. */
export async function resolveTarget(
  parts: readonly TargetPart[],
  resolve: Resolve,
): Promise<{ readonly addresses: readonly Address[]; readonly failed: readonly string[] }> {
  const failed: string[] = [];
  const found = await Promise.all(
    parts.map(async (part) => {
      if ("socket" in part) return [{ target: part.socket, host: "localhost" }];
      const { host, port } = part;
      const ips = isIP(host) ? [host] : await resolve(host).catch(() => undefined);
      if (ips === undefined) failed.push(host);
      return (ips ?? []).map((ip) => ({
        target: isIPv6(ip) ? `ipv6:[${ip}]:${port}` : `ipv4:${ip}:${port}`,
        host,
      }));
    }),
  );
  const addresses = new Map(found.flat().map((address) => [address.target, address]));
  return { addresses: [...addresses.values()], failed };
}

/** The machines that targets name, those of Unix sockets left out. */
export function hostsOf(targets: Iterable<string>): readonly string[] {
  return [...targets].flatMap((target) => parseTarget(target).flatMap((part) => ("host" in part ? [part.host] : [])));
}
