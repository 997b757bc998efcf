import { isIP } from "node:net";
import type { ClusterConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import type { Paths } from "./machine/paths.js";
import type { Tools } from "./world.js";

/** A machine's part in its cluster. */
export interface Member {
  /** Of its node. */
  readonly name: string;
  readonly advertiseAddress: string;
  readonly bindPort: number;
}

/** A control plane machine of a cluster, as it is to be. */
export interface Site {
  readonly tools: Tools;
  readonly paths: Paths;
  readonly cluster: ClusterConfiguration;
  readonly member: Member;
}

/** `host:port` as a part of an address: `[::1]:6443`. */
export const hostPort = (host: string, port: number | string): string =>
  isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;

/** The server of this machine itself. */
export const localServer = ({ member }: Pick<Site, "member">): string =>
  `https://${hostPort(member.advertiseAddress, member.bindPort)}`;

/** The server by which the cluster is reached: its stable name, where it has one. */
export function clusterServer(site: Pick<Site, "cluster" | "member">): string {
  const { controlPlaneEndpoint } = site.cluster;
  if (controlPlaneEndpoint === "") return localServer(site);
  const hasPort = isIP(controlPlaneEndpoint) === 0 && /:\d+$/.test(controlPlaneEndpoint);
  return hasPort
    ? `https://${controlPlaneEndpoint}`
    : `https://${hostPort(controlPlaneEndpoint, site.member.bindPort)}`;
}

/** Host of the stable name; undefined where the cluster has none. */
export function endpointHost({ controlPlaneEndpoint }: ClusterConfiguration): string | undefined {
  if (controlPlaneEndpoint === "") return undefined;
  if (isIP(controlPlaneEndpoint) !== 0) return controlPlaneEndpoint;
  return controlPlaneEndpoint.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
}

/**
 * Where a machine's components listen for itself alone. A machine whose own address is a loopback one shares the kernel
 * with others that are played here, and keeps to its address.
 */
export const localAddress = ({ advertiseAddress }: Member): string =>
  advertiseAddress.startsWith("127.") ? advertiseAddress : "127.0.0.1";
