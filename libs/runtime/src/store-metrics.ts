import type { CounterSeries, HistogramSeries, Metrics } from "./metrics.js";

/** What may be asked of a store (see `timed` in libs/store). */
type StoreOperation = "get" | "list" | "create" | "update" | "delete" | "revision" | "compact";

interface StoreCall {
  readonly operation: StoreOperation;
  readonly key: string;
  readonly started: number;
}

/** A kind whose objects are stored. */
export interface StoredKind {
  readonly group: string;
  readonly plural: string;
  readonly storage: { readonly prefix: string };
}

export interface StoreMetricsOptions {
  /** All keys begin with it. */
  readonly storePrefix: string;
  /** Milliseconds since some moment; never goes back. */
  readonly now: () => number;
}

/** Takes what `timed` tells. */
export interface StoreMetrics {
  now(): number;
  ended(call: StoreCall, failed: boolean): void;
  brought(events: number): void;
  /** Further kinds whose keys have a type of their own from now on. */
  know(kinds: Iterable<StoredKind>): void;
  /** Keys of these kinds have none any more. */
  forget(kinds: Iterable<StoredKind>): void;
}

/** The series of one operation on one type, bound when it is first seen. */
interface Series {
  readonly seconds: HistogramSeries;
  readonly requests: CounterSeries | undefined;
}

type ByOperation = { [operation in StoreOperation]?: Series };

interface Type {
  readonly name: string;
  readonly series: ByOperation;
}

/** What is stored and is no object of a kind, and what is read across kinds. */
const otherName = "other";
/** Seconds, as the reference has them. */
const buckets = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];

/** The metrics of the calls to a store: the reference's where it has one, which call every store etcd. */
export function createStoreMetrics(metrics: Metrics, { storePrefix, now }: StoreMetricsOptions): StoreMetrics {
  const labelled = { stability: "ALPHA", labels: ["operation", "type"] } as const;
  const seconds = metrics.histogram({
    ...{ ...labelled, name: "etcd_request_duration_seconds", buckets },
    help: "How long requests to the store took, by what was asked and of which type.",
  });
  const requests = metrics.counter({ ...labelled, name: "etcd_requests_total", help: "Requests to the store." });
  const errors = metrics.counter({
    ...labelled,
    name: "etcd_request_errors_total",
    help: "Requests to the store that failed; a comparison that does not hold is an answer.",
  });
  const own = { stability: "ALPHA", labels: ["operation"] } as const;
  const ownSeconds = metrics.histogram({
    ...{ ...own, name: "orch_store_request_duration_seconds", buckets },
    help: "How long requests about the store itself took: its newest revision, and compaction.",
  });
  const ownErrors = metrics.counter({
    ...{ ...own, name: "orch_store_request_errors_total" },
    help: "Requests about the store itself that failed.",
  });
  const events = metrics
    .counter({ name: "orch_store_watch_events_total", help: "Events of watches.", stability: "ALPHA", labels: [] })
    .with({});

  const other: Type = { name: otherName, series: {} };
  const types = new Map<string, Type>();

  /** `services/specs/ns/name` and `minions/name`: a prefix has one segment or two. */
  const typeOf = (key: string): Type => {
    if (!key.startsWith(storePrefix)) return other;
    const first = key.indexOf("/", storePrefix.length);
    if (first < 0) return other;
    const known = types.get(key.slice(storePrefix.length, first));
    if (known !== undefined) return known;
    const second = key.indexOf("/", first + 1);
    return (second < 0 ? undefined : types.get(key.slice(storePrefix.length, second))) ?? other;
  };
  const bind = (operation: StoreOperation, type: string): Series =>
    isOwn(operation)
      ? { seconds: ownSeconds.with({ operation }), requests: undefined }
      : { seconds: seconds.with({ operation, type }), requests: requests.with({ operation, type }) };

  return {
    now,
    ended({ operation, key, started }, failed) {
      const { name, series } = typeOf(key);
      series[operation] ??= bind(operation, name);
      const bound = series[operation];
      bound.seconds.observe((now() - started) / 1000);
      bound.requests?.inc();
      if (!failed) return;
      if (isOwn(operation)) ownErrors.with({ operation }).inc();
      else errors.with({ operation, type: name }).inc();
    },
    brought: (count) => events.inc(count),
    know(kinds) {
      for (const { group, plural, storage } of kinds) {
        types.set(storage.prefix, { name: group === "" ? plural : `${plural}.${group}`, series: {} });
      }
    },
    forget(kinds) {
      for (const { storage } of kinds) {
        const type = types.get(storage.prefix)?.name;
        types.delete(storage.prefix);
        if (type !== undefined) for (const metric of [seconds, requests, errors]) metric.drop({ type });
      }
    },
  };
}

const isOwn = (operation: StoreOperation): boolean => operation === "revision" || operation === "compact";
