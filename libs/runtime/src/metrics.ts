import { collectDefaultMetrics, Registry } from "prom-client";
import { seriesOf } from "./metric/metric-series.js";
import { metricState, type Stability } from "./metric/metric-stability.js";
import { type Family, type Join, pageText, type Sample, textContentType } from "./metric/metric-text.js";
import {
  type CounterSeries,
  createCounter,
  createGauge,
  createHistogram,
  type GaugeSeries,
  type HistogramSeries,
} from "./metric/metric-values.js";
import { processFamilies } from "./process-metrics.js";
import { releaseBefore } from "./release.js";

export type { CounterSeries, GaugeSeries, HistogramSeries };

export interface MetricSpec<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly stability: Stability;
  readonly labels: readonly L[];
  /** Release since which it is deprecated: `1.30`. It is hidden at once (ALPHA), a release (BETA) or three later. */
  readonly deprecatedSince?: string;
  /** How the values of several processes become one; their sum where absent. */
  readonly join?: Join;
}

export type LabelValues<L extends string> = Readonly<Record<L, string>>;

/** A metric's series by their labels; the same labels give the same series. */
export interface Metric<L extends string, S> {
  with(labels: LabelValues<L>): S;
  /** Forgets every series that has all of these labels: what they name is no more. */
  drop(labels: Partial<LabelValues<L>>): void;
}

export interface Metrics {
  counter<const L extends string>(spec: MetricSpec<L>): Metric<L, CounterSeries>;
  gauge<const L extends string>(spec: MetricSpec<L>): Metric<L, GaugeSeries>;
  /** `buckets` are upper bounds in rising order, without +Inf. */
  histogram<const L extends string>(
    spec: MetricSpec<L> & { readonly buckets: readonly number[] },
  ): Metric<L, HistogramSeries>;
  /** A gauge or counter without labels that is read when the metrics are. */
  observed(spec: Omit<MetricSpec<never>, "labels"> & { readonly type?: "gauge" | "counter" }, read: () => number): void;
  /** Runs before the values are read, for gauges that are told then and not as they change. */
  onRead(run: () => void): void;
  /** The values of this moment, as plain data. */
  families(): Promise<readonly Family[]>;
  /** The body of `/metrics`, in {@link metricsContentType}. */
  text(): Promise<string>;
}

export const metricsContentType = textContentType;

export interface MetricsOptions {
  /** `1.32`: decides which deprecated metrics are hidden. */
  readonly release: string;
  /** `--show-hidden-metrics-for-version`: the release before this one, to have back what was hidden since. */
  readonly showHiddenFor?: string | undefined;
  /** Full names of metrics that are not to be kept, whatever else is said of them. */
  readonly disabled?: readonly string[];
  /** Told of every deprecated metric that is registered. */
  readonly warn?: (message: string) => void;
  /** Metrics of the process and of the event loop; on unless false. */
  readonly processMetrics?: boolean;
}

export function createMetrics(options: MetricsOptions): Metrics {
  const families: (() => Family)[] = [];
  const names = new Set<string>();
  const beforeRead: (() => void)[] = [];
  const processRegistry = options.processMetrics === false ? undefined : new Registry();
  if (processRegistry !== undefined) collectDefaultMetrics({ register: processRegistry });

  const meta = createMetaMetrics();
  const fullOf = ({ name: metric }: MetricSpec<string>) => {
    return () => meta.dropped.with({ metric }).inc();
  };
  const disabled = new Set(options.disabled);
  meta.disabled.inc(disabled.size);

  const register = (spec: MetricSpec<string>, type: Family["type"], samples: () => Iterable<Sample>): void => {
    if (names.has(spec.name)) throw new TypeError(`metric ${spec.name} exists already`);
    names.add(spec.name);
    if (disabled.has(spec.name)) return;
    const state = metricState(spec, options.release);
    const since = spec.deprecatedSince ?? "";
    const askedBack = state === "hidden" && options.showHiddenFor === releaseBefore(options.release);
    if (state === "hidden" && !askedBack) meta.hidden.inc();
    if (state === "deleted" || (state === "hidden" && !askedBack)) return;
    if (askedBack) {
      options.warn?.(`metric ${spec.name} is deprecated since ${since} and hidden; it is shown this once on demand`);
    } else if (state === "deprecated") {
      options.warn?.(`metric ${spec.name} is deprecated since ${since}`);
    }
    meta.registered.with({ stability_level: spec.stability, deprecated_version: since }).inc();
    const help = `[${spec.stability}] ${state === "shown" ? "" : `(Deprecated since ${since}) `}${spec.help}`;
    const { name, join = "sum" } = spec;
    families.push(() => ({ name, help, type, join, samples: [...samples()] }));
  };
  for (const { spec, series } of meta.all) register(spec, "counter", () => series.samples());
  const read = async (): Promise<readonly Family[]> => {
    for (const run of beforeRead) run();
    const own = families.map((family) => family());
    return processRegistry === undefined ? own : [...own, ...(await processFamilies(processRegistry))];
  };

  return {
    counter(spec) {
      const series = seriesOf(spec.labels, { ...counters, full: fullOf(spec) });
      register(spec, "counter", () => series.samples());
      return series;
    },
    gauge(spec) {
      const series = seriesOf(spec.labels, { create: createGauge, lines: 1, beyond: "dropped", full: fullOf(spec) });
      register(spec, "gauge", () => series.samples());
      return series;
    },
    histogram(spec) {
      const series = seriesOf(spec.labels, {
        create: (labels) => createHistogram(labels, spec.buckets),
        lines: spec.buckets.length + linesBesideBuckets,
        beyond: "together",
        full: fullOf(spec),
      });
      register(spec, "histogram", () => series.samples());
      return series;
    },
    observed({ type = "gauge", ...spec }, read) {
      register({ ...spec, labels: [] }, type, () => [{ suffix: "", labels: "", value: read() }]);
    },
    onRead: (run) => void beforeRead.push(run),
    families: read,
    text: async () => pageText(await read()),
  };
}

/** The last bucket, the sum and the count of a histogram. */
const linesBesideBuckets = 3;

const counters = { create: createCounter, lines: 1, beyond: "together" } as const;

/** Counts of the metrics themselves. */
function createMetaMetrics() {
  const count = <const L extends string>(name: string, help: string, labels: readonly L[]) => ({
    // Processes of one program register the same metrics: their sum would count them once a process.
    spec: { name, help, stability: "BETA", labels, join: "ever" } as const,
    // One series for a metric or a release that there is: never full.
    series: seriesOf(labels, { ...counters, full: () => {} }),
  });
  const registered = count("registered_metrics_total", "Registered metrics by stability and deprecating release.", [
    "stability_level",
    "deprecated_version",
  ]);
  const disabled = count("disabled_metrics_total", "Metrics that are not kept because a flag says so.", []);
  const hidden = count("hidden_metrics_total", "Metrics that are hidden because they are long deprecated.", []);
  const dropped = count(
    "orch_metric_series_dropped_total",
    "Times that labels found no room in a metric that is full, by the metric.",
    ["metric"],
  );
  return {
    registered: registered.series,
    disabled: disabled.series.with({}),
    hidden: hidden.series.with({}),
    dropped: dropped.series,
    all: [registered, disabled, hidden, dropped],
  };
}
