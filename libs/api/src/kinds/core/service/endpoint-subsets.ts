/** Addresses and ports of a service: each address of a subset is reached at each of its ports. */
export interface Subset {
  readonly addresses?: readonly Address[];
  readonly notReadyAddresses?: readonly Address[];
  readonly ports?: readonly Port[];
}

export interface Address {
  readonly ip?: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: { readonly uid?: string };
}

export interface Port {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
}

interface Member {
  readonly address: Address;
  readonly ready: boolean;
}

/** Members by their keys. */
type Group = Map<string, Member>;

/**
 * The subsets with each port once for the same set of addresses, addresses and ports in order, nothing twice; what is
 * ready and not ready at one port is not ready.
 *
 *     [a]:80 [a]:443 [b]:80   →   [a]:443 [a b]:80
 */
export function packed(subsets: readonly Subset[]): readonly Subset[] {
  const byPort = new Map<string, { readonly port: Port | undefined; readonly members: Group }>();
  for (const subset of subsets) {
    for (const port of (subset.ports ?? []).length > 0 ? (subset.ports ?? []) : [undefined]) {
      const key = portKey(port);
      const entry = byPort.get(key) ?? { port, members: new Map() };
      byPort.set(key, entry);
      addMembers(entry.members, subset);
    }
  }
  const byMembers = new Map<string, { readonly ports: Port[]; readonly members: Group }>();
  for (const [, { port, members }] of inOrder(byPort)) {
    const key = groupKey(members);
    const entry = byMembers.get(key) ?? { ports: [], members };
    byMembers.set(key, entry);
    if (port !== undefined) entry.ports.push(port);
  }
  return inOrder(byMembers).map(([, { ports, members }]) => subsetOf(ports, members));
}

function addMembers(members: Group, { addresses = [], notReadyAddresses = [] }: Subset): void {
  for (const [list, ready] of [
    [notReadyAddresses, false],
    [addresses, true],
  ] as const) {
    for (const address of list) {
      const key = JSON.stringify([address.ip, address.targetRef?.uid ?? ""]);
      const known = members.get(key);
      members.set(key, { address: known?.address ?? address, ready: ready && (known?.ready ?? true) });
    }
  }
}

function portKey(port: Port | undefined): string {
  if (port === undefined) return "";
  return JSON.stringify([port.name ?? "", port.port, port.protocol, port.appProtocol]);
}

function groupKey(members: Group): string {
  return inOrder(members)
    .map(([key, { ready }]) => `${key}${ready}`)
    .join(" ");
}

function subsetOf(ports: readonly Port[], members: Group): Subset {
  const all = inOrder(members).map(([, member]) => member);
  const ready = all.filter((m) => m.ready).map((m) => m.address);
  const others = all.filter((m) => !m.ready).map((m) => m.address);
  return {
    ...(ready.length > 0 ? { addresses: ready } : {}),
    ...(others.length > 0 ? { notReadyAddresses: others } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  };
}

function inOrder<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
