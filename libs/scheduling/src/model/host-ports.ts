import type { RawPod } from "./objects.js";

export interface HostPort {
  readonly protocol: string;
  readonly port: number;
  /** `0.0.0.0` is every address. */
  readonly address: string;
}

const everyAddress = "0.0.0.0";

/** Ports of the node that containers, and init containers that stay, take. */
export function hostPortsOf(spec: RawPod["spec"]): readonly HostPort[] {
  const { containers = [], initContainers = [] } = spec ?? {};
  return [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === "Always")].flatMap(
    ({ ports = [] }) =>
      ports.flatMap(({ hostPort = 0, hostIP = "", protocol = "TCP" }) =>
        hostPort <= 0 ? [] : [{ protocol, port: hostPort, address: hostIP === "" ? everyAddress : hostIP }],
      ),
  );
}

export function conflicts(wanted: readonly HostPort[], taken: readonly HostPort[]): boolean {
  for (const { protocol, port, address } of wanted) {
    for (const other of taken) {
      if (other.port !== port || other.protocol !== protocol) continue;
      if (other.address === address || other.address === everyAddress || address === everyAddress) return true;
    }
  }
  return false;
}
