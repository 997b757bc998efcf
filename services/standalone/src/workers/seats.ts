/**
 * A worker's part of a limit of the whole server: parts differ by one at most and add up to the limit, but for one seat
 * that each worker has at least. 0 is no limit, for each of them.
 */
export function partOf(limit: number, { slot, count }: { readonly slot: number; readonly count: number }): number {
  if (limit === 0) return 0;
  const part = Math.floor(limit / count) + (slot < limit % count ? 1 : 0);
  return Math.max(1, part);
}
