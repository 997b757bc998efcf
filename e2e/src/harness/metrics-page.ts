/** A metric of a page in Prometheus's text format. */
export interface PageMetric {
  readonly name: string;
  readonly type: string;
  /** `STABLE`, `BETA`, `ALPHA`; undefined for those of the process itself. */
  readonly stability: string | undefined;
  /** What follows the stability. */
  readonly help: string;
  /** Of its series, sorted; undefined where it has none yet. `le` is left out. */
  readonly labels: readonly string[] | undefined;
  /** Upper bounds, without +Inf; empty where it is no histogram, or has no series yet. */
  readonly buckets: readonly number[];
}

const helpLine = /^# HELP (\S+) (?:\[([A-Z]+)\] )?(.*)$/;
const typeLine = /^# TYPE (\S+) (\S+)$/;
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? \S+$/;
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/** The metrics of a page by their names. */
export function readPage(text: string): ReadonlyMap<string, PageMetric> {
  const helps = new Map<string, { readonly stability: string | undefined; readonly help: string }>();
  const types = new Map<string, string>();
  const labels = new Map<string, ReadonlySet<string>>();
  const buckets = new Map<string, Set<number>>();
  for (const line of text.split("\n")) {
    const help = helpLine.exec(line);
    const type = typeLine.exec(line);
    const sample = line.startsWith("#") ? null : sampleLine.exec(line);
    if (help !== null) helps.set(help[1] ?? "", { stability: help[2], help: help[3] ?? "" });
    else if (type !== null) types.set(type[1] ?? "", type[2] ?? "");
    else if (sample !== null) {
      const pairs = [...(sample[2] ?? "").matchAll(labelPair)].map(([, name = "", value = ""]) => ({ name, value }));
      const family = familyOf(sample[1] ?? "", types);
      labels.set(family, new Set(pairs.map(({ name }) => name).filter((name) => name !== "le")));
      const bound = pairs.find(({ name }) => name === "le")?.value;
      if (bound !== undefined && bound !== "+Inf") {
        buckets.set(family, (buckets.get(family) ?? new Set()).add(Number(bound)));
      }
    }
  }
  return new Map(
    [...types].map(([name, type]) => [
      name,
      {
        ...{ name, type, stability: helps.get(name)?.stability, help: helps.get(name)?.help ?? "" },
        labels: labels.has(name) ? [...(labels.get(name) ?? [])].sort() : undefined,
        buckets: [...(buckets.get(name) ?? [])].sort((a, b) => a - b),
      },
    ]),
  );
}

/** A histogram's samples have names of their own. */
function familyOf(sample: string, types: ReadonlyMap<string, string>): string {
  if (types.has(sample)) return sample;
  return sample.replace(/_(?:bucket|sum|count)$/, "");
}
