/** Gives pods addresses of their nodes' ranges. */
export interface PodAddresses {
  /** The same one again for a pod that has one; `cidr`: the node's, IPv4, or undefined where nobody gave it one. */
  take(node: string, pod: string, cidr: string | undefined): string;
  /** The pod has this one already. */
  keep(node: string, pod: string, address: string): void;
  giveBack(node: string, pod: string): void;
}

/** The ranges of nodes without one: a /24 each of 10.0.0.0/9. */
const perNode = 256;
const mostNodes = 2 ** 15;

interface NodeAddresses {
  readonly byPod: Map<string, string>;
  readonly taken: Set<string>;
  next: number;
}

export function createPodAddresses(): PodAddresses {
  const nodes = new Map<string, NodeAddresses>();
  const places = new Map<string, number>();
  const of = (node: string): NodeAddresses => {
    const known = nodes.get(node);
    if (known !== undefined) return known;
    const made: NodeAddresses = { byPod: new Map(), taken: new Set(), next: 2 };
    nodes.set(node, made);
    return made;
  };
  const rangeOf = (node: string, cidr: string | undefined): Range => {
    const given = cidr === undefined ? undefined : parseRange(cidr);
    if (given !== undefined) return given;
    const place = places.get(node) ?? places.size;
    places.set(node, place);
    return { first: 10 * 2 ** 24 + (place % mostNodes) * perNode, size: perNode };
  };
  const keep = (node: string, pod: string, address: string): void => {
    const { byPod, taken } = of(node);
    byPod.set(pod, address);
    taken.add(address);
  };
  return {
    keep,
    take(node, pod, cidr) {
      const addresses = of(node);
      const known = addresses.byPod.get(pod);
      if (known !== undefined) return known;
      const { first, size } = rangeOf(node, cidr);
      for (let tried = 0; tried < size; tried++) {
        // The first is the network's, the second the gateway's, the last for all.
        if (addresses.next >= size - 1) addresses.next = 2;
        const address = addressOf(first + addresses.next++);
        if (addresses.taken.has(address)) continue;
        keep(node, pod, address);
        return address;
      }
      return addressOf(first + 2);
    },
    giveBack(node, pod) {
      const addresses = nodes.get(node);
      const address = addresses?.byPod.get(pod);
      if (addresses === undefined || address === undefined) return;
      addresses.byPod.delete(pod);
      addresses.taken.delete(address);
      if (addresses.byPod.size === 0) nodes.delete(node);
    },
  };
}

interface Range {
  /** As a number of 32 bits. */
  readonly first: number;
  readonly size: number;
}

function parseRange(cidr: string): Range | undefined {
  const [address = "", bits = ""] = cidr.split("/", 2);
  const parts = address.split(".").map(Number);
  const prefix = Number(bits);
  const isAddress = parts.length === 4 && parts.every((part) => Number.isInteger(part) && part >= 0 && part < 256);
  if (!isAddress || !Number.isInteger(prefix) || prefix < 8 || prefix > 29) return undefined;
  return { first: parts.reduce((sum, part) => sum * 256 + part, 0), size: 2 ** (32 - prefix) };
}

const addressOf = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
