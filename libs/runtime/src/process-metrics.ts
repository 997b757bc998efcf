import type { Registry } from "prom-client";
import { type Family, type Join, labelText } from "./metric/metric-text.js";

/**
 * prom-client's rules for several processes as ours. What it leaves out or takes from the first is the first's; the
 * figures of event loops, of which it takes averages, are those of the slowest loop.
 */
function joinOf(aggregator: string): Join {
  if (aggregator === "sum") return "sum";
  return aggregator === "omit" || aggregator === "first" ? "first" : "max";
}

/** The process's own metrics as prom-client keeps them. */
export async function processFamilies(registry: Registry): Promise<readonly Family[]> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map(({ name, help, type, aggregator, values }) => ({
    name,
    help,
    type: familyType(String(type)),
    join: joinOf(aggregator),
    samples: values.map((value) => ({
      suffix: "metricName" in value ? String(value.metricName).slice(name.length) : "",
      labels: labelText(Object.keys(value.labels), Object.values(value.labels).map(String)),
      value: value.value,
    })),
  }));
}

// Its types say that this is a number; it is the word.
function familyType(type: string): Family["type"] {
  return type === "counter" || type === "histogram" ? type : "gauge";
}
