/** Requests of one set that are under way at once. */
const atOnce = 16;

/** What `run` makes of each, in their order; at most {@link atOnce} run at a time. An error of one is that of all. */
export async function eachOf<T, R>(things: readonly T[], run: (thing: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < things.length; at = next++) {
      const thing = things[at];
      if (thing !== undefined) results[at] = await run(thing);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, things.length) }, work));
  return results;
}
