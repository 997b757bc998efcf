import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "./metrics.js";

const create = (options: { showHiddenFor?: string; warn?: (m: string) => void } = {}) =>
  createMetrics({ release: "1.32", processMetrics: false, ...options });

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
  assert.equal(
    await metrics.text(),
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
seconds_bucket{verb="GET",le="+Inf"} 4
seconds_sum{verb="GET"} 7.65
seconds_count{verb="GET"} 4
`,
  );
});

test("a deprecated metric says so, is hidden three releases later and can be asked back once", async () => {
  const shown = async (deprecatedSince: string, showHiddenFor?: string) => {
    const warnings: string[] = [];
    const metrics = create({
      warn: (m) => warnings.push(m),
      ...(showHiddenFor === undefined ? {} : { showHiddenFor }),
    });
    metrics.counter({ name: "old", help: "Old.", stability: "STABLE", labels: [], deprecatedSince }).with({}).inc();
    return { text: await metrics.text(), warnings };
  };
  const young = await shown("1.30");
  assert.match(young.text, /# HELP old \[STABLE\] \(Deprecated since 1\.30\) Old\./);
  assert.deepEqual(young.warnings, ["metric old is deprecated since 1.30"]);
  assert.doesNotMatch((await shown("1.29")).text, /old/);
  assert.match((await shown("1.29", "1.31")).text, /old 1/);
  assert.doesNotMatch((await shown("1.29", "1.30")).text, /old/);
});

test("labels from outside can not fill the memory", async () => {
  const metrics = create();
  const counter = metrics.counter({ name: "c", help: "C.", stability: "ALPHA", labels: ["x"] });
  for (let i = 0; i < 10_100; i++) counter.with({ x: `v${i}` }).inc();
  const text = await metrics.text();
  assert.match(text, /c\{x="other"\} 100\n/);
  assert.equal(text.split("\n").length, 10_001 + 3);
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
