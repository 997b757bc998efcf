/** The least of many, and any of them out again by its key: both in steps as the logarithm of their number. */
export interface Heap<T> {
  readonly size: number;
  /** Replaces the one with the same key. */
  set(item: T): void;
  get(key: string): T | undefined;
  delete(key: string): T | undefined;
  first(): T | undefined;
  take(): T | undefined;
  values(): Iterable<T>;
}

export function createHeap<T extends { readonly key: string }>(compare: (a: T, b: T) => number): Heap<T> {
  const items: T[] = [];
  const places = new Map<string, number>();

  const put = (item: T, at: number): void => {
    items[at] = item;
    places.set(item.key, at);
  };
  const up = (item: T, from: number): number => {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || compare(item, parent) >= 0) break;
      put(parent, at);
      at = above;
    }
    put(item, at);
    return at;
  };
  const down = (item: T, from: number): void => {
    let at = from;
    for (;;) {
      const left = items[2 * at + 1];
      const right = items[2 * at + 2];
      if (left === undefined) break;
      const isRight = right !== undefined && compare(right, left) < 0;
      const child = isRight ? right : left;
      if (compare(child, item) >= 0) break;
      put(child, at);
      at = 2 * at + (isRight ? 2 : 1);
    }
    put(item, at);
  };
  const settle = (item: T, at: number): void => {
    if (up(item, at) === at) down(item, at);
  };
  const remove = (key: string): T | undefined => {
    const at = places.get(key);
    const item = at === undefined ? undefined : items[at];
    if (at === undefined || item === undefined) return undefined;
    places.delete(key);
    const last = items.pop();
    if (last !== undefined && last !== item) settle(last, at);
    return item;
  };

  return {
    get size() {
      return items.length;
    },
    set: (item) => settle(item, places.get(item.key) ?? items.length),
    get: (key) => {
      const at = places.get(key);
      return at === undefined ? undefined : items[at];
    },
    delete: remove,
    first: () => items[0],
    take: () => (items[0] === undefined ? undefined : remove(items[0].key)),
    values: () => items.values(),
  };
}
