import { addressOf, type Family, withPort } from "./family.js";
import type { RawEndpoint, RawSlice } from "./objects.js";
import type { Protocol } from "./service-port.js";

/** A place to which connections go. */
export interface Endpoint {
  /** `10.0.0.1:80`, `[fd00::1]:80`. */
  readonly text: string;
  readonly address: string;
  readonly port: number;
  /** It runs on this node. */
  readonly isLocal: boolean;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  /** From which zones it is to be used; empty: nobody has said. */
  readonly zones: readonly string[];
}

export interface PortOfService {
  readonly portName: string;
  readonly protocol: Protocol;
}

/**
 * The endpoints of one port of a service over all its slices, sorted. One that stands in several slices, as it may while they
 * are written, counts once: in its best state, whatever the order in which the slices came.
 */
export function endpointsOf(
  slices: Iterable<RawSlice>,
  { portName, protocol }: PortOfService,
  { family, hostname }: { readonly family: Family; readonly hostname: string },
): readonly Endpoint[] {
  const found = new Map<string, Endpoint>();
  for (const slice of slices) {
    if (slice.addressType !== family) continue;
    for (const port of slice.ports ?? []) {
      if ((port.name ?? "") !== portName || (port.protocol ?? "TCP").toLowerCase() !== protocol) continue;
      if (port.port === undefined || !(port.port > 0 && port.port <= 65_535)) continue;
      for (const raw of slice.endpoints ?? []) {
        const endpoint = endpointOf(raw, port.port, { family, hostname });
        if (endpoint === undefined) continue;
        const known = found.get(endpoint.text);
        if (known === undefined || isBetter(endpoint, known)) found.set(endpoint.text, endpoint);
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.text < b.text ? -1 : 1));
}

function endpointOf(
  { addresses = [], conditions = {}, nodeName, hints }: RawEndpoint,
  port: number,
  { family, hostname }: { readonly family: Family; readonly hostname: string },
): Endpoint | undefined {
  const address = addressOf(addresses[0] ?? "", family);
  if (address === undefined) return undefined;
  const ready = conditions.ready ?? true;
  return {
    text: withPort(address, port),
    address,
    port,
    isLocal: nodeName === hostname,
    ready,
    serving: conditions.serving ?? ready,
    terminating: conditions.terminating ?? false,
    zones: (hints?.forZones ?? []).map(({ name }) => name).sort(),
  };
}

function isBetter(a: Endpoint, b: Endpoint): boolean {
  if (rank(a) !== rank(b)) return rank(a) > rank(b);
  const [zonesOfA, zonesOfB] = [a.zones.join(), b.zones.join()];
  return zonesOfA > zonesOfB;
}

const rank = ({ isLocal, ready, serving, terminating }: Endpoint): number =>
  (ready ? 8 : 0) + (serving ? 4 : 0) + (isLocal ? 2 : 0) + (terminating ? 0 : 1);
