import type { Endpoint } from "./endpoints.js";
import { type ServicePort, usesClusterEndpoints, usesLocalEndpoints } from "./service-port.js";

/** A port of a service with the endpoints among which its connections are spread: what every backend makes rules of. */
export interface BalancedPort {
  readonly port: ServicePort;
  /** Under the policy Cluster; empty where nobody goes by it. */
  readonly cluster: readonly Endpoint[];
  /** Under the policy Local; empty where nobody goes by it. */
  readonly local: readonly Endpoint[];
  /** All of them, each once. */
  readonly reachable: readonly Endpoint[];
  /** Whether there is an endpoint anywhere. */
  readonly hasEndpoints: boolean;
}

const isLeaving = ({ ready, serving, terminating }: Endpoint): boolean => !ready && serving && terminating;

/**
 * Ready endpoints, or those that still serve while they terminate, where no other is left. `zone`: of the node; hints are
 * followed where every ready endpoint has some and one of them is meant for it.
 */
export function balance(port: ServicePort, endpoints: readonly Endpoint[], zone: string): BalancedPort {
  const [hasCluster, hasLocal] = [usesClusterEndpoints(port), usesLocalEndpoints(port)];
  const ready = endpoints.filter((each) => each.ready);
  const leaving = endpoints.filter(isLeaving);
  const best = ready.length > 0 ? inZone(ready, zone) : leaving;
  const readyHere = ready.filter(({ isLocal }) => isLocal);
  const here = readyHere.length > 0 ? readyHere : leaving.filter(({ isLocal }) => isLocal);
  const cluster = hasCluster ? best : [];
  const local = hasLocal ? here : [];
  return {
    port,
    cluster,
    local,
    reachable: local.length === 0 ? cluster : [...new Set([...cluster, ...local])].sort(byText),
    hasEndpoints: ready.length > 0 || leaving.length > 0,
  };
}

const byText = (a: Endpoint, b: Endpoint): number => (a.text < b.text ? -1 : 1);

function inZone(ready: readonly Endpoint[], zone: string): readonly Endpoint[] {
  if (zone === "" || ready.some(({ zones }) => zones.length === 0)) return ready;
  const meant = ready.filter(({ zones }) => zones.includes(zone));
  return meant.length === 0 ? ready : meant;
}

/** Where the traffic of one side goes. */
export type Way =
  /** Rules lead it to endpoints. */
  | "balanced"
  /** There is no endpoint anywhere: whoever asks is told so. */
  | "rejected"
  /** There are endpoints, none of them here, and only those here may be used. */
  | "dropped";

/** Of what comes for the cluster address. */
export const internalWay = (balanced: BalancedPort): Way => wayOf(balanced, balanced.port.internalPolicy === "Local");

/** Of what comes for external addresses and node ports from outside of the cluster. */
export const externalWay = (balanced: BalancedPort): Way => wayOf(balanced, balanced.port.externalPolicy === "Local");

function wayOf({ hasEndpoints, local }: BalancedPort, onlyLocal: boolean): Way {
  if (!hasEndpoints) return "rejected";
  return onlyLocal && local.length === 0 ? "dropped" : "balanced";
}

/** Two states of a port of which every backend makes the same rules. */
export function isSameBalance(a: BalancedPort, b: BalancedPort): boolean {
  return a.hasEndpoints === b.hasEndpoints && textOf(a) === textOf(b);
}

const textOf = ({ port, cluster, local }: BalancedPort): string =>
  JSON.stringify([port, cluster.map(({ text }) => text), local.map(({ text }) => text)]);
