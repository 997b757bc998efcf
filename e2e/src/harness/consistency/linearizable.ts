/**
 * One operation of a client on one register, as the client saw it: a write, or a read of the value that some write
 * left (undefined: of the value before all writes). Values of writes are unique. Times are of one monotonic clock.
 */
export interface Operation {
  readonly register: string;
  readonly type: "write" | "read";
  readonly value: string | undefined;
  readonly invoked: number;
  /** Infinity for a write of unknown outcome: it may have happened at any time since, or never. */
  readonly completed: number;
}

/**
 * Why a history of registers is not linearizable; undefined when it is. A history is linearizable when it is so
 * register by register (Herlihy and Wing), and of a register with unique values it is known which write each read
 * saw. A write and its reads are one cluster, which must have a stretch of time of its own (Gibbons and Korach,
 * Testing Shared Memories): with `first` the earliest completion in it and `last` the latest invocation
 *
 * - if first < last, its value was surely there from first to last: no other value may have been there in that time,
 * - otherwise there is a moment from last to first in which all of it may have happened: that moment must not lie
 *   wholly in a time that is another's.
 */
export function violation(history: readonly Operation[]): string | undefined {
  for (const [register, operations] of groupedBy(history, (operation) => operation.register)) {
    const found = violationOf(operations);
    if (found !== undefined) return `${register}: ${found}`;
  }
  return undefined;
}

interface Cluster {
  readonly value: string | undefined;
  readonly first: number;
  readonly last: number;
}

function violationOf(operations: readonly Operation[]): string | undefined {
  const clusters: Cluster[] = [];
  const byValue = groupedBy(operations, (operation) => operation.value);
  // What was there before needs no write, and was there from the beginning.
  if (!byValue.has(undefined)) byValue.set(undefined, []);
  for (const [value, members] of byValue) {
    const writes = members.filter(({ type }) => type === "write");
    const [write] = writes;
    if (writes.length > 1) throw new RangeError(`${value} was written twice: values must be unique`);
    if (value !== undefined && write === undefined) return `${value} was read and never written`;
    // An unknown write that nobody saw may as well not have happened.
    if (write?.completed === Number.POSITIVE_INFINITY && members.length === 1) continue;
    const early = members.find(({ completed }) => completed < (write?.invoked ?? Number.NEGATIVE_INFINITY));
    if (early !== undefined) return `${value} was read at ${early.completed}, before it was written`;
    const completions = members.map(({ completed }) => completed);
    const first = value === undefined ? Number.NEGATIVE_INFINITY : smallest(completions);
    const last = largest(members.map(({ invoked }) => invoked));
    clusters.push({ value, first, last });
  }
  return overlap(clusters);
}

/** Certain times are taken in order; each must end before the next begins and hold nobody else's moment. */
function overlap(clusters: readonly Cluster[]): string | undefined {
  const certain = clusters.filter(({ first, last }) => first < last).sort((a, b) => a.first - b.first);
  for (const [i, { value, last }] of certain.entries()) {
    const next = certain[i + 1];
    if (next !== undefined && next.first < last) return `${show(value)} was still there after ${show(next.value)} was`;
  }
  const starts = certain.map(({ first }) => first);
  for (const { value, first: end, last: begin } of clusters.filter(({ first, last }) => first >= last)) {
    // The only one that can hold the moment: the last that had begun when it did.
    const holder = certain[countBelow(starts, begin) - 1];
    if (holder !== undefined && end < holder.last) return `${show(value)} came while ${show(holder.value)} was there`;
  }
  return undefined;
}

const show = (value: string | undefined): string => value ?? "the value before all writes";
// Not Math.min(...): there may be more than a call takes arguments.
const smallest = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.min(a, b));
const largest = (numbers: readonly number[]): number =>
  numbers.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);

/** How many of the sorted numbers are below the limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function groupedBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
