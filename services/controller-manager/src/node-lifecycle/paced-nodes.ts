/** Nodes that wait to be tainted, by their zones: no more of a zone at once than its rate lets through. */
export interface PacedNodes {
  add(zone: string, node: string): void;
  /** It is well again, or gone. */
  remove(node: string): void;
  /** Takes those whose turn it is. `rateOf`: nodes of a zone a second; `now`: milliseconds that only grow. */
  take(rateOf: (zone: string) => number, now: number): readonly string[];
}

interface Waiting {
  readonly nodes: Set<string>;
  /** When the next may go. */
  next: number;
}

export function createPacedNodes(): PacedNodes {
  const zones = new Map<string, Waiting>();
  return {
    add(zone, node) {
      for (const [other, { nodes }] of zones) if (other !== zone) nodes.delete(node);
      const waiting = zones.get(zone) ?? { nodes: new Set(), next: 0 };
      zones.set(zone, waiting);
      waiting.nodes.add(node);
    },
    remove(node) {
      for (const { nodes } of zones.values()) nodes.delete(node);
    },
    take(rateOf, now) {
      const taken: string[] = [];
      for (const [zone, waiting] of zones) {
        const rate = rateOf(zone);
        if (rate <= 0) continue;
        for (const node of waiting.nodes) {
          if (now < waiting.next) break;
          // One at a time, however long nobody has gone.
          waiting.next = now + 1000 / rate;
          waiting.nodes.delete(node);
          taken.push(node);
        }
      }
      return taken;
    },
  };
}
