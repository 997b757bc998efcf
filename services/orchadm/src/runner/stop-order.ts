/** Who is asked by others stops after them, so that leases are given back and last writes are stored. */
const latest: readonly string[] = ["etcd", "apiserver"];

/** Names of units that stop together, one group after the other: those that nobody asks, API servers, stores. */
export function stopOrder(names: readonly string[]): readonly (readonly string[])[] {
  const rank = (name: string): number => latest.findIndex((word) => name.includes(word));
  const last = latest.length - 1;
  return [-1, ...[...latest.keys()].map((i) => last - i)]
    .map((wanted) => names.filter((name) => rank(name) === wanted).sort())
    .filter((group) => group.length > 0);
}
