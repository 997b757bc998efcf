const fewest = 100;

/**
 * How many nodes that fit are enough. `percentage` 0: the larger the cluster, the smaller the part of it.
 *
 * 99 nodes → 99    500 → 230    5000 → 500    15000 → 750
 */
export function enoughFeasible(nodes: number, percentage: number): number {
  if (nodes < fewest) return nodes;
  const part = percentage > 0 ? percentage : Math.max(5, 50 - Math.trunc(nodes / 125));
  return part >= 100 ? nodes : Math.max(fewest, Math.trunc((nodes * part) / 100));
}
