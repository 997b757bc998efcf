import { hash } from "node:crypto";
import type { CounterSeries, GaugeSeries, HistogramSeries, Metrics } from "@orch/runtime/metrics.js";
import type { Passed, RingMetrics } from "./metrics.js";

export interface RegisteredOptions {
  /** Who this process is among those that store. */
  readonly serverId: string;
  readonly clock: { now(): number; monotonic(): number };
}

/** Seconds: from 5 µs on, each bound twice the one before. */
const buckets = Array.from({ length: 25 }, (_, i) => 5e-6 * 2 ** i);
const generationBuckets = Array.from({ length: 14 }, (_, i) => 5e-6 * 2 ** i);

type Direction = "from_storage" | "to_storage";

/** The metrics of what goes through a ring, as the reference names them. */
export function registerRingMetrics(metrics: Metrics, { serverId, clock }: RegisteredOptions): RingMetrics {
  const stability = "ALPHA";
  const apiserver_id_hash = hashOf(serverId);
  const durations = metrics.histogram({
    name: "apiserver_storage_transformation_duration_seconds",
    help: "How long sealing and opening of values took, by the provider.",
    ...{ stability, labels: ["transformation_type", "transformer_prefix"], buckets },
  });
  const operations = metrics.counter({
    name: "apiserver_storage_transformation_operations_total",
    help: "Values that were sealed or opened, by resource and provider.",
    ...{ stability, labels: ["resource", "status", "transformation_type", "transformer_prefix"] },
  });
  const keyUses = metrics.counter({
    name: "apiserver_envelope_encryption_key_id_hash_total",
    help: "Values that were sealed or opened, by the key of the plugin.",
    ...{ stability, labels: ["apiserver_id_hash", "key_id_hash", "provider_name", "transformation_type"] },
  });
  const keyTimes = metrics.gauge({
    name: "apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds",
    help: "When a value was sealed or opened last, by the key of the plugin.",
    ...{ stability, labels: ["apiserver_id_hash", "key_id_hash", "provider_name", "transformation_type"] },
  });
  const sources = metrics.gauge({
    name: "apiserver_envelope_encryption_dek_source_cache_size",
    help: "Data keys of KMS v2 at hand.",
    ...{ stability, labels: ["provider_name"] },
  });
  const fill = metrics.gauge({
    name: "apiserver_envelope_encryption_dek_cache_fill_percent",
    help: "Data keys of KMS v1 at hand, of as many as may be.",
    ...{ stability, labels: [] },
  });
  const misses = metrics
    .counter({
      name: "apiserver_storage_envelope_transformation_cache_misses_total",
      help: "Data keys that were not at hand.",
      ...{ stability, labels: [] },
    })
    .with({});
  const generation = metrics
    .histogram({
      name: "apiserver_storage_data_key_generation_duration_seconds",
      help: "How long making a data key took.",
      ...{ stability, labels: [], buckets: generationBuckets },
    })
    .with({});
  const generationFailures = metrics
    .counter({
      name: "apiserver_storage_data_key_generation_failures_total",
      help: "Data keys that could not be made.",
      ...{ stability, labels: [] },
    })
    .with({});

  /** Series are bound once: this is done for each value. */
  const bound = new Map<string, { readonly seconds: HistogramSeries; readonly count: CounterSeries }>();
  const passed = (transformation_type: Direction, { prefix, resource, started, failed }: Passed): void => {
    const id = `${transformation_type} ${failed} ${resource} ${prefix}`;
    let series = bound.get(id);
    if (series === undefined) {
      const status = failed ? "unknown-non-grpc" : "OK";
      series = {
        seconds: durations.with({ transformation_type, transformer_prefix: prefix }),
        count: operations.with({ resource, status, transformation_type, transformer_prefix: prefix }),
      };
      bound.set(id, series);
    }
    series.seconds.observe((clock.monotonic() - started) / 1000);
    series.count.inc();
  };
  const uses = new Map<string, { readonly count: CounterSeries; readonly time: GaugeSeries }>();

  return {
    now: () => clock.monotonic(),
    sealed: (value) => passed("to_storage", value),
    opened: (value) => passed("from_storage", value),
    keyUsed(transformation_type, provider_name, keyId) {
      const id = `${transformation_type} ${provider_name} ${keyId}`;
      let series = uses.get(id);
      if (series === undefined) {
        const labels = { apiserver_id_hash, key_id_hash: hashOf(keyId), provider_name, transformation_type };
        series = { count: keyUses.with(labels), time: keyTimes.with(labels) };
        if (uses.size < mostKeys) uses.set(id, series);
      }
      series.count.inc();
      series.time.set(clock.now() / 1000);
    },
    missed: () => misses.inc(),
    kept(provider_name, version, { size, max }) {
      if (version === "v2") sources.with({ provider_name }).set(size);
      else fill.with({}).set(size / max);
    },
    generated(started, failed) {
      generation.observe((clock.monotonic() - started) / 1000);
      if (failed) generationFailures.inc();
    },
  };
}

/** A plugin names its keys as it likes. */
const mostKeys = 1_000;

const hashOf = (id: string): string => (id === "" ? "" : `sha256:${hash("sha256", id)}`);
