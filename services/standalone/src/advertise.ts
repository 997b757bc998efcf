import type { NetworkInterfaceInfo } from "node:os";
import { ordinaryAddress } from "@orch/schema/formats/ip.js";

export interface Listening {
  /** The address that clients connect to. */
  readonly bound: string;
  /** Of this machine, as the system names them. */
  readonly interfaces: NodeJS.Dict<readonly Pick<NetworkInterfaceInfo, "address" | "internal">[]>;
}

/**
 * Where the cluster reaches a server: as it is told, else where it listens; a server that listens everywhere, or where
 * only this machine reaches it, at the first address that others can reach, as the reference says of itself. Undefined
 * on a machine without one.
 */
export function advertisedAddress(told: string, { bound, interfaces }: Listening): string | undefined {
  if (told !== "") return told;
  const reachable = Object.values(interfaces).flatMap((of = []) =>
    of.filter(({ internal }) => !internal).map(({ address }) => address),
  );
  return [bound, ...reachable].find((address) => ordinaryAddress(address).length === 0);
}
