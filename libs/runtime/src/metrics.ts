import { collectDefaultMetrics, Registry } from "prom-client";
import { metricState, type Stability } from "./metric-stability.js";
import {
  type Family,
  type Join,
  labelText,
  numberText,
  pageText,
  type Sample,
  textContentType,
} from "./metric-text.js";
import { processFamilies } from "./process-metrics.js";
import { releaseBefore } from "./release.js";

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

/** One series of a counter, bound once and kept by whoever counts: adding is one addition. */
export interface CounterSeries {
  inc(by?: number): void;
}

export interface GaugeSeries {
  set(value: number): void;
  add(by: number): void;
}

export interface HistogramSeries {
  /** In the unit of the metric's name, usually seconds; `times` for values that are equal. */
  observe(value: number, times?: number): void;
}

/** A metric's series by their labels; the same labels give the same series. */
export interface Metric<L extends string, S> {
  with(labels: LabelValues<L>): S;
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

/** Series of one metric: more share one whose labels all read `other`, so that a client can not fill the memory. */
const maxSeries = 10_000;

export function createMetrics(options: MetricsOptions): Metrics {
  const families: (() => Family)[] = [];
  const names = new Set<string>();
  const processRegistry = options.processMetrics === false ? undefined : new Registry();
  if (processRegistry !== undefined) collectDefaultMetrics({ register: processRegistry });

  const meta = createMetaMetrics();
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
  const read = async (): Promise<readonly Family[]> => [
    ...families.map((family) => family()),
    ...(processRegistry === undefined ? [] : await processFamilies(processRegistry)),
  ];

  return {
    counter(spec) {
      const series = seriesOf(spec.labels, createCounter);
      register(spec, "counter", () => series.samples());
      return series;
    },
    gauge(spec) {
      const series = seriesOf(spec.labels, createGauge);
      register(spec, "gauge", () => series.samples());
      return series;
    },
    histogram(spec) {
      const series = seriesOf(spec.labels, (labels) => createHistogram(labels, spec.buckets));
      register(spec, "histogram", () => series.samples());
      return series;
    },
    observed({ type = "gauge", ...spec }, read) {
      register({ ...spec, labels: [] }, type, () => [{ suffix: "", labels: "", value: read() }]);
    },
    families: read,
    text: async () => pageText(await read()),
  };
}

/** Counts of the metrics themselves. */
function createMetaMetrics() {
  const count = <const L extends string>(name: string, help: string, labels: readonly L[]) => ({
    // Processes of one program register the same metrics: their sum would count them once a process.
    spec: { name, help, stability: "BETA", labels, join: "ever" } as const,
    series: seriesOf(labels, createCounter),
  });
  const registered = count("registered_metrics_total", "Registered metrics by stability and deprecating release.", [
    "stability_level",
    "deprecated_version",
  ]);
  const disabled = count("disabled_metrics_total", "Metrics that are not kept because a flag says so.", []);
  const hidden = count("hidden_metrics_total", "Metrics that are hidden because they are long deprecated.", []);
  return {
    registered: registered.series,
    disabled: disabled.series.with({}),
    hidden: hidden.series.with({}),
    all: [registered, disabled, hidden],
  };
}

interface Sampled {
  samples(): readonly Sample[];
}

function seriesOf<L extends string, S extends Sampled>(
  names: readonly L[],
  create: (labels: string) => S,
): Metric<L, S> & { samples(): Iterable<Sample> } {
  const byLabels = new Map<string, S>();
  const add = (key: string, values: readonly string[]): S => {
    const series = create(labelText(names, values));
    byLabels.set(key, series);
    return series;
  };
  if (names.length === 0) add("", []); // a metric without labels shows from the start
  return {
    with(labels) {
      let key = "";
      for (const name of names) key += `${labels[name]}\0`;
      const known = byLabels.get(key);
      if (known !== undefined) return known;
      if (byLabels.size < maxSeries) {
        return add(
          key,
          names.map((name) => labels[name]),
        );
      }
      const others = names.map(() => "other");
      return byLabels.get("other") ?? add("other", others);
    },
    *samples() {
      for (const series of byLabels.values()) yield* series.samples();
    },
  };
}

function createCounter(labels: string): CounterSeries & Sampled {
  let value = 0;
  return {
    inc(by = 1) {
      value += by;
    },
    samples: () => [{ suffix: "", labels, value }],
  };
}

function createGauge(labels: string): GaugeSeries & Sampled {
  let value = 0;
  return {
    set(to) {
      value = to;
    },
    add(by) {
      value += by;
    },
    samples: () => [{ suffix: "", labels, value }],
  };
}

function createHistogram(labels: string, bounds: readonly number[]): HistogramSeries & Sampled {
  const counts = new Float64Array(bounds.length + 1); // of each bucket alone, the last without an upper bound
  let sum = 0;
  const before = labels === "" ? "" : `${labels},`;
  return {
    observe(value, times = 1) {
      let bucket = 0;
      while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
      counts[bucket] = (counts[bucket] ?? 0) + times;
      sum += value * times;
    },
    samples() {
      let total = 0;
      const buckets = Array.from(counts, (count, i) => {
        total += count;
        const le = numberText(bounds[i] ?? Number.POSITIVE_INFINITY);
        return { suffix: "_bucket", labels: `${before}le="${le}"`, value: total };
      });
      return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: total }];
    },
  };
}
