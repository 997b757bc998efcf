import type { CounterSeries, HistogramSeries, Metrics } from "@orch/runtime/metrics.js";
import type { RequestLabels, RequestMetrics } from "./metrics.js";

const names = ["verb", "group", "version", "resource", "subresource", "scope", "component", "code", "dry_run"] as const;
const durationNames = ["verb", "group", "version", "resource", "subresource", "scope", "component", "dry_run"] as const;
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

interface Series {
  readonly count: CounterSeries;
  readonly duration: HistogramSeries;
}

/** `apiserver_request_total` and `apiserver_request_duration_seconds` (rules: Signals on deprecated endpoints). */
export function createRequestMetrics(metrics: Metrics): RequestMetrics {
  const total = metrics.counter({
    name: "apiserver_request_total",
    help: "Requests by verb, resource and response code.",
    stability: "STABLE",
    labels: names,
  });
  const seconds = metrics.histogram({
    name: "apiserver_request_duration_seconds",
    help: "Time from a request's arrival to the end of its handling; a watch counts its whole life.",
    stability: "STABLE",
    labels: durationNames,
    buckets,
  });
  const deprecated = metrics.gauge({
    name: "apiserver_requested_deprecated_apis",
    help: "1 for each deprecated version of a resource that was asked for, with the release that removes it.",
    stability: "STABLE",
    labels: ["group", "version", "resource", "subresource", "removed_release"],
    join: "ever",
  });
  const known = new Map<string, Series>();
  const newSeries = (labels: RequestLabels): Series => {
    const { dryRun: dry_run, code, ...rest } = labels;
    const shared = { ...rest, component: "apiserver", dry_run };
    return { count: total.with({ ...shared, code }), duration: seconds.with(shared) };
  };
  return {
    forget({ group, resource }) {
      for (const metric of [total, seconds, deprecated]) metric.drop({ group, resource });
      // Those of others are found again.
      known.clear();
    },
    deprecated: (labels) => deprecated.with(labels).set(1),
    observe(id, labels, milliseconds) {
      let series = known.get(id);
      if (series === undefined) {
        series = newSeries(labels());
        known.set(id, series);
      }
      series.count.inc();
      series.duration.observe(milliseconds / 1000);
    },
  };
}
