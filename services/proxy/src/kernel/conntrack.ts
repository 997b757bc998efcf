import type { BalancedPort } from "../model/balance.js";
import type { Family } from "../model/family.js";
import type { RunProgram } from "./programs.js";

/**
 * Entries of UDP that the kernel would go on using: it knows no end of such a connection, so that a client that keeps sending
 * would go to an endpoint that is no more, or nowhere.
 */
export interface StaleFlow {
  /** Absent: of a node port, whichever address was asked. */
  readonly address: string | undefined;
  readonly port: number;
  /** Where it went; absent: nowhere, since there was no endpoint, or wherever it went. */
  readonly endpoint: string | undefined;
}

/** What a change of a service's ports leaves behind. */
export function staleFlows(before: readonly BalancedPort[], after: readonly BalancedPort[]): readonly StaleFlow[] {
  const next = new Map(after.map((balanced) => [balanced.port.key, balanced]));
  const last = new Map(before.map((balanced) => [balanced.port.key, balanced]));
  const removed = before.filter(isUdp).flatMap((old) => {
    const kept = new Set(next.get(old.port.key)?.reachable.map(({ text }) => text));
    const gone = old.reachable.filter(({ text }) => !kept.has(text));
    // Where no endpoint is left nobody is served at the address: one deletion does for all, be they thousands.
    return waysTo(old).flatMap((way): readonly StaleFlow[] =>
      kept.size === 0 && gone.length > 0 && way.address !== undefined
        ? [{ ...way, endpoint: undefined }]
        : gone.map(({ address }) => ({ ...way, endpoint: address })),
    );
  });
  const begun = after
    .filter((balanced) => isUdp(balanced) && balanced.hasEndpoints)
    .flatMap((balanced) => {
      const hadSome = last.get(balanced.port.key)?.hasEndpoints === true;
      return hadSome ? [] : waysTo(balanced).map((way) => ({ ...way, endpoint: undefined }));
    });
  return [...removed, ...begun];
}

const isUdp = ({ port }: BalancedPort): boolean => port.protocol === "udp";

const waysTo = ({ port }: BalancedPort): readonly Omit<StaleFlow, "endpoint">[] => [
  ...[port.clusterIp, ...port.externalIps, ...port.loadBalancerIps].map((address) => ({ address, port: port.port })),
  ...(port.nodePort === 0 ? [] : [{ address: undefined, port: port.nodePort }]),
];

/** Arguments of `conntrack` that delete it. */
export const deletionOf = ({ address, port, endpoint }: StaleFlow, family: Family): readonly string[] => [
  ...["-D", "-f", family === "IPv4" ? "ipv4" : "ipv6", "-p", "udp"],
  ...(address === undefined ? [] : ["--orig-dst", address]),
  ...["--orig-port-dst", String(port)],
  ...(endpoint === undefined ? [] : ["--dst-nat", endpoint]),
];

/** Deletes them one after the other. @throws Error with what the program said */
export async function deleteFlows(flows: readonly StaleFlow[], family: Family, run: RunProgram): Promise<void> {
  for (const flow of flows) {
    const { code, problem } = await run("conntrack", deletionOf(flow, family));
    // With code 1 it says that there was none.
    if (code !== 0 && !problem.includes("0 flow entries")) throw new Error(`conntrack: ${problem}`);
  }
}
