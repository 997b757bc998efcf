import type { Sampled } from "./metric-series.js";
import { numberText } from "./metric-text.js";

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

export function createCounter(labels: string): CounterSeries & Sampled {
  let value = 0;
  return {
    inc(by = 1) {
      value += by;
    },
    samples: () => [{ suffix: "", labels, value }],
  };
}

export function createGauge(labels: string): GaugeSeries & Sampled {
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

export function createHistogram(labels: string, bounds: readonly number[]): HistogramSeries & Sampled {
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
