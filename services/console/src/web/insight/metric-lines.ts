/** A line of a metrics page. */
export interface Sample {
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** The samples of one metric. Only its own lines are taken apart: a page has thousands. */
export function samplesOf(page: string, metric: string): readonly Sample[] {
  const samples: Sample[] = [];
  for (const line of page.split("\n")) {
    if (!line.startsWith(metric)) continue;
    const next = line[metric.length];
    if (next !== "{" && next !== " ") continue;
    samples.push(sampleOf(line, metric.length));
  }
  return samples;
}

function sampleOf(line: string, from: number): Sample {
  const labels = new Map<string, string>();
  let at = from;
  if (line[at] === "{") {
    at++;
    while (at < line.length && line[at] !== "}") {
      const equals = line.indexOf("=", at);
      if (equals < 0) break;
      const name = line.slice(at, equals);
      let value = "";
      for (at = equals + 2; at < line.length && line[at] !== '"'; at++) {
        if (line[at] === "\\") at++;
        value += line[at] ?? "";
      }
      labels.set(name, value);
      at++;
      if (line[at] === ",") at++;
    }
    at++;
  }
  return { labels, value: Number(line.slice(at).trim().split(" ")[0]) };
}
