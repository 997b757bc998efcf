import assert from "node:assert/strict";
import { test } from "node:test";
import type { Stability } from "./metric/metric-stability.js";
import { createMetrics, type Metrics, type MetricsOptions } from "./metrics.js";

const create = (options: Partial<MetricsOptions> = {}) =>
  createMetrics({ release: "1.32", processMetrics: false, ...options });

/** The page without the metrics about metrics. */
const ownText = async (metrics: Metrics) =>
  (await metrics.text()).replace(
    /^.*\b(?:(?:registered|disabled|hidden)_metrics_total|orch_metric_series_dropped_total)\b.*\n/gm,
    "",
  );

test("counters, gauges and histograms print with their stability", async () => {
  const metrics = create();
  const requests = metrics.counter({
    name: "apiserver_request_total",
    help: "Requests.",
    stability: "STABLE",
    labels: ["verb", "code"],
  });
  const get = requests.with({ verb: "GET", code: "200" });
  get.inc();
  get.inc(2);
  requests.with({ code: "200", verb: "GET" }).inc();
  requests.with({ verb: 'a"b\\c\nd', code: "" }).inc();
  const gauge = metrics.gauge({ name: "inflight", help: "In\nflight.", stability: "ALPHA", labels: [] });
  gauge.with({}).set(5);
  gauge.with({}).add(-2);
  metrics.observed({ name: "revision", help: "Revision.", stability: "BETA" }, () => 42);
  const seconds = metrics.histogram({
    name: "seconds",
    help: "Time.",
    stability: "BETA",
    labels: ["verb"],
    buckets: [0.1, 1],
  });
  const observed = seconds.with({ verb: "GET" });
  for (const value of [0.05, 0.1, 0.5, 7]) observed.observe(value);
  observed.observe(2, 3);
  assert.equal(
    await ownText(metrics),
    `# HELP apiserver_request_total [STABLE] Requests.
# TYPE apiserver_request_total counter
apiserver_request_total{verb="GET",code="200"} 4
apiserver_request_total{verb="a\\"b\\\\c\\nd",code=""} 1
# HELP inflight [ALPHA] In\\nflight.
# TYPE inflight gauge
inflight 3
# HELP revision [BETA] Revision.
# TYPE revision gauge
revision 42
# HELP seconds [BETA] Time.
# TYPE seconds histogram
seconds_bucket{verb="GET",le="0.1"} 2
seconds_bucket{verb="GET",le="1"} 3
seconds_bucket{verb="GET",le="+Inf"} 7
seconds_sum{verb="GET"} 13.65
seconds_count{verb="GET"} 7
`,
  );
});

test("a deprecated metric says so, is hidden at its term, can be asked back once, and is gone", async () => {
  const page = async (stability: Stability, release: string, showHiddenFor?: string) => {
    const warnings: string[] = [];
    const metrics = create({ release, showHiddenFor, warn: (m) => warnings.push(m) });
    metrics.counter({ name: "old", help: "Old.", stability, labels: [], deprecatedSince: "1.29" }).with({}).inc();
    const text = await metrics.text();
    return {
      help: /^# HELP old (.*)$/m.exec(text)?.[1] ?? "",
      value: /^old (.*)$/m.exec(text)?.[1] ?? "",
      hidden: /^hidden_metrics_total (.*)$/m.exec(text)?.[1],
      warnings,
    };
  };
  const noticeOf = (stability: Stability) => `[${stability}] (Deprecated since 1.29) Old.`;
  const deprecation = "metric old is deprecated since 1.29";
  const onDemand = `${deprecation} and hidden; it is shown this once on demand`;
  // [stability, release, --show-hidden-metrics-for-version, what is seen]
  const rows: readonly (readonly [
    Stability,
    string,
    string | undefined,
    "plain" | "notice" | "demand" | "hidden" | "gone",
  ])[] = [
    ["STABLE", "1.28", undefined, "plain"],
    ["STABLE", "1.29", undefined, "notice"],
    ["STABLE", "1.31", undefined, "notice"],
    ["STABLE", "1.32", undefined, "hidden"],
    ["STABLE", "1.32", "1.31", "demand"],
    ["STABLE", "1.32", "1.30", "hidden"],
    ["STABLE", "1.33", undefined, "gone"],
    ["STABLE", "1.33", "1.32", "gone"],
    ["BETA", "1.28", undefined, "plain"],
    ["BETA", "1.29", undefined, "notice"],
    ["BETA", "1.30", undefined, "hidden"],
    ["BETA", "1.30", "1.29", "demand"],
    ["BETA", "1.31", "1.30", "gone"],
    ["ALPHA", "1.28", undefined, "plain"],
    ["ALPHA", "1.29", undefined, "hidden"],
    ["ALPHA", "1.29", "1.28", "demand"],
    ["ALPHA", "1.30", "1.29", "gone"],
  ];
  for (const [stability, release, showHiddenFor, seen] of rows) {
    const notice = noticeOf(stability);
    const expected = {
      plain: { help: `[${stability}] Old.`, value: "1", hidden: "0", warnings: [] },
      notice: { help: notice, value: "1", hidden: "0", warnings: [deprecation] },
      demand: { help: notice, value: "1", hidden: "0", warnings: [onDemand] },
      hidden: { help: "", value: "", hidden: "1", warnings: [] },
      gone: { help: "", value: "", hidden: "0", warnings: [] },
    }[seen];
    const title = `${stability} at ${release}, shown for ${showHiddenFor}`;
    assert.deepEqual(await page(stability, release, showHiddenFor), expected, title);
  }
});

test("metrics are counted by stability and deprecation; those that a flag disables are not kept", async () => {
  const metrics = create({ disabled: ["noise", "elsewhere"], showHiddenFor: "1.31" });
  const add = (name: string, stability: Stability, deprecatedSince?: string) =>
    metrics.gauge({ name, help: "Help.", stability, labels: [], ...(deprecatedSince && { deprecatedSince }) });
  add("a", "STABLE");
  add("b", "STABLE", "1.30");
  add("c", "STABLE", "1.30");
  add("noise", "STABLE", "1.29").with({}).set(1);
  const text = await metrics.text();
  assert.deepEqual(text.match(/^(?:registered|disabled|hidden)_metrics_total.*$/gm), [
    'registered_metrics_total{stability_level="BETA",deprecated_version=""} 4',
    'registered_metrics_total{stability_level="STABLE",deprecated_version=""} 1',
    'registered_metrics_total{stability_level="STABLE",deprecated_version="1.30"} 2',
    "disabled_metrics_total 2",
    "hidden_metrics_total 0",
  ]);
  assert.doesNotMatch(text, /noise/);
  assert.match(text, /^# HELP hidden_metrics_total \[BETA\] /m);
});

test("labels from outside can not fill the memory", async () => {
  const metrics = create();
  const counter = metrics.counter({ name: "c", help: "C.", stability: "ALPHA", labels: ["x"] });
  for (let i = 0; i < 10_100; i++) counter.with({ x: `v${i}` }).inc();
  const text = await ownText(metrics);
  assert.match(text, /c\{x="other"\} 100\n/);
  assert.equal(text.split("\n").length, 10_001 + 3);
});

test("a metric that is full says so, keeps the series it has and leaves other metrics alone", async () => {
  const metrics = create();
  const spec = { help: "H.", stability: "ALPHA", labels: ["x"] } as const;
  const counter = metrics.counter({ ...spec, name: "counts" });
  const gauge = metrics.gauge({ ...spec, name: "gauges" });
  const other = metrics.counter({ ...spec, name: "another" });
  for (let i = 0; i < 20_000; i++) {
    counter.with({ x: `v${i}` }).inc();
    gauge.with({ x: `v${i}` }).set(i);
  }
  counter.with({ x: "v7" }).inc();
  other.with({ x: "new" }).inc();
  const text = await metrics.text();
  const lines = new Set(text.split("\n"));
  for (const line of [
    'counts{x="v7"} 2',
    'counts{x="other"} 10000',
    'another{x="new"} 1',
    'orch_metric_series_dropped_total{metric="counts"} 10000',
    'orch_metric_series_dropped_total{metric="gauges"} 10000',
  ]) {
    assert.ok(lines.has(line), line);
  }
  // Of gauges one for all that found no room would say nothing.
  assert.doesNotMatch(text, /^gauges\{x="other"\}/m);
  assert.doesNotMatch(text, /dropped_total\{metric="another"\}/);
});

test("long label values are cut, and a metric whose labels fill the page is full", async () => {
  const metrics = create();
  const spec = { help: "H.", stability: "ALPHA", labels: ["x", "y"], buckets: [1, 2, 3] } as const;
  const histogram = metrics.histogram({ ...spec, name: "long" });
  const value = (i: number) => `${i} `.padEnd(50_000, "x");
  histogram.with({ x: value(1), y: "" }).observe(1);
  histogram.with({ x: `${value(1)}more`, y: "" }).observe(1);
  assert.match(await metrics.text(), /^long_count\{x="1 x{254}",y=""\} 2$/m);
  for (let i = 0; i < 9_999; i++) histogram.with({ x: value(i), y: value(i) }).observe(1);
  const text = await metrics.text();
  assert.ok(text.length < 20 * 1024 * 1024, `${text.length}`);
  assert.match(text, /^orch_metric_series_dropped_total\{metric="long"\} [1-9]/m);
  assert.match(text, /^long_count\{x="other",y="other"\} [1-9]/m);
});

test("a name is given once", () => {
  const metrics = create();
  const spec = { name: "a", help: "A.", stability: "ALPHA", labels: [] } as const;
  metrics.counter(spec);
  assert.throws(() => metrics.gauge(spec), /exists already/);
});

test("the process's own metrics are there", async () => {
  const text = await createMetrics({ release: "1.32" }).text();
  assert.match(text, /process_cpu_seconds_total/);
  assert.match(text, /nodejs_eventloop_lag_seconds/);
});
