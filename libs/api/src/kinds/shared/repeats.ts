/** Positions of the values that stand in the list before: `["a", "b", "a"]` → 2. Linear, however long the list. */
export function repeatsIn(values: readonly (string | undefined)[]): ReadonlySet<number> {
  const seen = new Set<string | undefined>();
  const repeats = new Set<number>();
  for (const [i, value] of values.entries()) {
    if (seen.has(value)) repeats.add(i);
    seen.add(value);
  }
  return repeats;
}
