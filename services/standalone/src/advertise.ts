import type { NetworkInterfaceInfo } from "node:os";
import { ordinaryAddress, parseAddress } from "@orch/schema/formats/ip.js";

export interface Listening {
  /** The address that clients connect to. */
  readonly bound: string;
  /** Of this machine, as the system names them. */
  readonly interfaces: NodeJS.Dict<readonly Pick<NetworkInterfaceInfo, "address" | "internal">[]>;
}

/**
 * Where the cluster reaches a server: as it is told, else where it listens; a server that listens everywhere, at the
 * first address that others can reach. Undefined for one that only this machine can reach.
 */
export function advertisedAddress(told: string, { bound, interfaces }: Listening): string | undefined {
  if (told !== "") return told;
  const everywhere = parseAddress(bound)?.every((byte) => byte === 0) ?? false;
  const candidates = everywhere
    ? Object.values(interfaces).flatMap((of = []) =>
        of.filter(({ internal }) => !internal).map(({ address }) => address),
      )
    : [bound];
  return candidates.find((address) => ordinaryAddress(address).length === 0);
}
