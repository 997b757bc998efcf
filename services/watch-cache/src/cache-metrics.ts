import type { Kind } from "@orch/api/catalog.js";
import type { CounterSeries, HistogramSeries, Metrics } from "@orch/runtime/metrics.js";

/** What a watch cache tells of its work, kind by kind. */
export interface CacheTold {
  /** A change came that is stored there. */
  changed(storagePrefix: string): void;
  /** Something that is stored there cannot be read. */
  unreadable(storagePrefix: string): void;
  /** A read waits until the cache is new enough; called once it does no more. */
  waits(kind: Kind): () => void;
  /** A list of memory, or of the store with so many entries that were read for it. */
  listed(kind: Kind, list: { readonly returned: number; readonly readFromStore: number | undefined }): void;
  /** Events of a watch, and their bytes together; bound once for a watch. */
  watched(kind: Kind): (events: number, bytes: number) => void;
  /** Events with which a watch begins. */
  began(kind: Kind, events: number): void;
}

export interface CacheMetrics extends CacheTold {
  know(kinds: Iterable<Kind>): void;
  /** Their series are no more. */
  forget(kinds: Iterable<Kind>): void;
}

export interface CacheMetricsOptions {
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** How many objects are stored there. */
  readonly count: (storagePrefix: string) => number;
  /** The newest revision that is shown of what is stored there. */
  readonly revision: (storagePrefix: string) => number;
}

const waitSeconds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3];
/** 1 KiB, and twice as much with each further one. */
const eventBytes = Array.from({ length: 8 }, (_, i) => 1024 * 2 ** i);

/** The series of a stored kind, each bound when it is first told of: of most kinds there is nothing to tell. */
interface Series {
  readonly kind: Kind;
  changes?: readonly CounterSeries[];
  unreadable?: CounterSeries;
  wait?: HistogramSeries;
  memory?: readonly CounterSeries[];
  store?: readonly CounterSeries[];
  initial?: CounterSeries;
}

/** By the reference's names. */
export function createCacheMetrics(metrics: Metrics, options: CacheMetricsOptions): CacheMetrics {
  const { now } = options;
  const perResource = ["group", "resource"] as const;
  const counter = (name: string, help: string, stability: "ALPHA" | "BETA" = "ALPHA") =>
    metrics.counter({ name, help, stability, labels: perResource });
  const received = [
    counter("apiserver_storage_events_received_total", "Changes that the store told of.", "BETA"),
    counter("apiserver_watch_cache_events_received_total", "Changes that the watch cache took."),
    counter("apiserver_watch_cache_events_dispatched_total", "Changes that the watch cache gave to its watchers."),
  ];
  const decodeErrors = metrics.counter({
    name: "apiserver_storage_decode_errors_total",
    help: "Stored values that could not be read.",
    stability: "ALPHA",
    labels: ["resource"],
  });
  const waits = metrics.histogram({
    name: "apiserver_watch_cache_read_wait_seconds",
    help: "How long reads waited until the watch cache was new enough.",
    stability: "ALPHA",
    labels: perResource,
    buckets: waitSeconds,
  });
  const ofMemory = { stability: "ALPHA", labels: ["group", "resource", "resource_prefix"] } as const;
  const lists = metrics.counter({
    ...{ ...ofMemory, labels: [...ofMemory.labels, "index"] },
    name: "apiserver_cache_list_total",
    help: "Lists that were answered from memory.",
  });
  const listed = metrics.counter({
    ...{ ...ofMemory, name: "apiserver_cache_list_returned_objects_total" },
    help: "Objects of lists that were answered from memory.",
  });
  const stored = [
    counter("apiserver_storage_list_total", "Lists that were answered from the store."),
    counter("apiserver_storage_list_fetched_objects_total", "Objects that the store gave for lists."),
    counter("apiserver_storage_list_evaluated_objects_total", "Objects of the store that lists looked at."),
    counter("apiserver_storage_list_returned_objects_total", "Objects of lists that were answered from the store."),
  ];
  const initial = counter("apiserver_init_events_total", "Events with which watches began.");
  const perVersion = { stability: "ALPHA", labels: ["group", "version", "kind", "resource"] } as const;
  const events = metrics.counter({
    ...{ ...perVersion, name: "apiserver_watch_events_total" },
    help: "Events that were sent to watchers.",
  });
  const sizes = metrics.histogram({
    ...{ ...perVersion, name: "apiserver_watch_events_sizes", buckets: eventBytes },
    help: "Bytes of events that were sent to watchers.",
  });
  const loads = counter("apiserver_watch_cache_initializations_total", "Times that the watch cache began with a kind.");
  const objects = metrics.gauge({
    name: "apiserver_storage_objects",
    help: "Objects that are stored.",
    stability: "STABLE",
    labels: ["resource"],
    join: "max",
  });
  const revision = metrics.gauge({
    name: "apiserver_watch_cache_resource_version",
    help: "Newest version that the watch cache shows.",
    stability: "ALPHA",
    labels: perResource,
    join: "max",
  });
  const known = new Map<string, Series>();
  metrics.onRead(() => {
    for (const [storagePrefix, { kind }] of known) {
      objects.with({ resource: resourceName(kind) }).set(options.count(storagePrefix));
      revision.with(labelsOf(kind)).set(options.revision(storagePrefix));
    }
  });
  const of = ({ storage }: Kind): Series | undefined => known.get(storage.prefix);
  const memoryOf = (kind: Kind): readonly CounterSeries[] => {
    const labels = { ...labelsOf(kind), resource_prefix: `/${kind.storage.prefix}` };
    return [lists.with({ ...labels, index: "" }), listed.with(labels)];
  };
  const nothing = (): void => {};
  return {
    know(kinds) {
      for (const kind of kinds) {
        known.set(kind.storage.prefix, { kind });
        loads.with(labelsOf(kind)).inc();
      }
    },
    forget(kinds) {
      for (const kind of kinds) {
        known.delete(kind.storage.prefix);
        const gone = labelsOf(kind);
        for (const metric of [...received, ...stored, waits, lists, listed, initial, events, sizes, loads, revision]) {
          metric.drop(gone);
        }
        for (const metric of [decodeErrors, objects]) metric.drop({ resource: resourceName(kind) });
      }
    },
    changed(storagePrefix) {
      const series = known.get(storagePrefix);
      if (series === undefined) return;
      series.changes ??= received.map((metric) => metric.with(labelsOf(series.kind)));
      for (const one of series.changes) one.inc();
    },
    unreadable(storagePrefix) {
      const series = known.get(storagePrefix);
      if (series === undefined) return;
      series.unreadable ??= decodeErrors.with({ resource: resourceName(series.kind) });
      series.unreadable.inc();
    },
    waits(kind) {
      const series = of(kind);
      if (series === undefined) return nothing;
      series.wait ??= waits.with(labelsOf(series.kind));
      const { wait } = series;
      const since = now();
      return () => wait.observe((now() - since) / 1000);
    },
    listed(kind, { returned, readFromStore }) {
      const series = of(kind);
      if (series === undefined) return;
      if (readFromStore === undefined) {
        series.memory ??= memoryOf(series.kind);
        count(series.memory, [1, returned]);
      } else {
        series.store ??= stored.map((metric) => metric.with(labelsOf(series.kind)));
        count(series.store, [1, readFromStore, readFromStore, returned]);
      }
    },
    watched(kind) {
      const labels = { ...labelsOf(kind), version: kind.version, kind: kind.kind };
      let bound: { readonly total: CounterSeries; readonly size: HistogramSeries } | undefined;
      return (sent, bytes) => {
        bound ??= { total: events.with(labels), size: sizes.with(labels) };
        bound.total.inc(sent);
        bound.size.observe(bytes / sent, sent);
      };
    },
    began(kind, sent) {
      const series = of(kind);
      if (series === undefined || sent === 0) return;
      series.initial ??= initial.with(labelsOf(series.kind));
      series.initial.inc(sent);
    },
  };
}

function count(series: readonly CounterSeries[], by: readonly number[]): void {
  for (const [i, one] of series.entries()) one.inc(by[i]);
}

const labelsOf = ({ group, plural }: Kind) => ({ group, resource: plural });

const resourceName = ({ group, plural }: Kind): string => (group === "" ? plural : `${plural}.${group}`);
