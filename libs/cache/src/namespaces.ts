/** Several namespaces, each once. */
export interface Namespaces {
  /** In the order of the keys that lie in them: `a-b/x` comes before `a/x`. */
  readonly inOrder: readonly string[];
  /** Equal for equal namespaces. */
  readonly id: string;
  has(namespace: string): boolean;
}

export function namespacesOf(names: Iterable<string>): Namespaces {
  const all = new Set(names);
  const inOrder = [...all].map((name) => `${name}/`).sort();
  return { inOrder: inOrder.map((name) => name.slice(0, -1)), id: inOrder.join(""), has: (name) => all.has(name) };
}

/** "" for what has none. */
export function namespaceOf(key: string): string {
  return key.slice(0, Math.max(key.indexOf("/"), 0));
}

/** The first of them that has keys behind a key, as a position in their order. */
export function firstBehind({ inOrder }: Namespaces, key: string): number {
  let low = 0;
  let high = inOrder.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    // `/` is followed by `0` in ASCII: the first key behind all of a namespace.
    if (`${inOrder[middle] ?? ""}0` > key) high = middle;
    else low = middle + 1;
  }
  return low;
}
