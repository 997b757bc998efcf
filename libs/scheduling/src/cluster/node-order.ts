/**
 * Names in the order in which cycles visit them: one of each zone in turn, so that the nodes that a cycle looks at are
 * spread over the zones.
 *
 * a: n1 n2 n3, b: n4, c: n5 n6   →   n1 n4 n5 n2 n6 n3
 */
export function interleaved(zones: Iterable<readonly string[]>): readonly string[] {
  const lists = [...zones];
  const longest = lists.reduce((most, list) => Math.max(most, list.length), 0);
  const order: string[] = [];
  for (let i = 0; i < longest; i++) {
    for (const list of lists) {
      const name = list[i];
      if (name !== undefined) order.push(name);
    }
  }
  return order;
}
