import type { Family, Join, Sample } from "./metric-text.js";

const joins: Readonly<Record<Join, (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  max: Math.max,
  ever: Math.max,
  first: (a) => a,
};

/** The metrics of several processes as if they were one's; families and series keep the order of the first that has them. */
export function joinFamilies(processes: readonly (readonly Family[])[]): readonly Family[] {
  const families = new Map<string, { readonly family: Family; readonly series: Map<string, Sample> }>();
  for (const family of processes.flat()) {
    const known = families.get(family.name) ?? { family, series: new Map<string, Sample>() };
    families.set(family.name, known);
    const join = joins[known.family.join];
    for (const sample of family.samples) {
      const key = `${sample.suffix} ${sample.labels}`;
      const before = known.series.get(key);
      known.series.set(key, before === undefined ? sample : { ...sample, value: join(before.value, sample.value) });
    }
  }
  return [...families.values()].map(({ family, series }) => ({ ...family, samples: [...series.values()] }));
}

/** What is still true when its process has ended: what it counted. A counter that went back would look like a restart. */
export function lastingFamilies(families: readonly Family[]): readonly Family[] {
  return families.filter(({ type, join }) => type !== "gauge" || join === "ever");
}
