import type { Metrics } from "@orch/runtime/metrics.js";
import { keyIdHash } from "./providers/key-id-hash.js";

export interface KmsMetrics {
  /** A call to a plugin, as it ended. */
  called(provider: string, call: { readonly path: string; readonly code: string; readonly started: number }): void;
  /** A plugin's status named its key. */
  statusKeyId(provider: string, keyId: string): void;
  invalidKeyId(provider: string, error: string): void;
  reloaded(status: "success" | "failure"): void;
  /** The configuration in force, by the hash of its file. */
  inForce(hash: string): void;
  now(): number;
}

export interface KmsMetricsOptions {
  /** Who this process is among those that store. */
  readonly serverId: string;
  readonly clock: { now(): number; monotonic(): number };
}

/** Seconds: from a tenth of a millisecond on, each bound twice the one before. */
const buckets = Array.from({ length: 20 }, (_, i) => 0.0001 * 2 ** i);

export function createKmsMetrics(metrics: Metrics, { serverId, clock }: KmsMetricsOptions): KmsMetrics {
  const stability = "ALPHA";
  const apiserver_id_hash = keyIdHash(serverId);
  const latency = metrics.histogram({
    name: "apiserver_envelope_encryption_kms_operations_latency_seconds",
    help: "How long calls to KMS plugins took, by how they ended.",
    ...{ stability, labels: ["grpc_status_code", "method_name", "provider_name"], buckets },
  });
  const statusTime = metrics.gauge({
    name: "apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds",
    help: "When a plugin's status named a key last.",
    ...{ stability, labels: ["apiserver_id_hash", "key_id_hash", "provider_name"] },
  });
  const invalid = metrics.counter({
    name: "apiserver_envelope_encryption_invalid_key_id_from_status_total",
    help: "Statuses of plugins that named no key that can be one.",
    ...{ stability, labels: ["error", "provider_name"] },
  });
  const reloads = metrics.counter({
    name: "apiserver_encryption_config_controller_automatic_reloads_total",
    help: "Changes of the encryption configuration, by whether they are in force.",
    ...{ stability, labels: ["apiserver_id_hash", "status"] },
  });
  const older = (what: string, help: string) =>
    metrics.counter({
      name: `apiserver_encryption_config_controller_automatic_reload_${what}_total`,
      ...{ help, stability, labels: ["apiserver_id_hash"], deprecatedSince: "1.30" },
    });
  const successes = older("success", "Changes of the encryption configuration that are in force.");
  const failures = older("failures", "Changes of the encryption configuration that are not in force.");
  const reloadTime = metrics.gauge({
    name: "apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds",
    help: "When the encryption configuration was read again last, by whether it is in force.",
    ...{ stability, labels: ["apiserver_id_hash", "status"] },
  });
  const info = metrics.gauge({
    name: "apiserver_encryption_config_controller_last_config_info",
    help: "The encryption configuration in force, by the hash of its file.",
    ...{ stability, labels: ["apiserver_id_hash", "hash"] },
  });
  const seconds = (): number => clock.now() / 1000;

  return {
    now: () => clock.monotonic(),
    called(provider_name, { path, code, started }) {
      const labels = { grpc_status_code: code, method_name: path, provider_name };
      latency.with(labels).observe((clock.monotonic() - started) / 1000);
    },
    statusKeyId(provider_name, keyId) {
      statusTime.with({ apiserver_id_hash, key_id_hash: keyIdHash(keyId), provider_name }).set(seconds());
    },
    invalidKeyId: (provider_name, error) => invalid.with({ error, provider_name }).inc(),
    reloaded(status) {
      reloads.with({ apiserver_id_hash, status }).inc();
      (status === "success" ? successes : failures).with({ apiserver_id_hash }).inc();
      reloadTime.with({ apiserver_id_hash, status }).set(seconds());
    },
    inForce(hash) {
      info.drop({ apiserver_id_hash });
      info.with({ apiserver_id_hash, hash }).set(1);
    },
  };
}
