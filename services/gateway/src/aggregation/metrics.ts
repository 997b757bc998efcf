import type { X509Certificate } from "node:crypto";
import type { Metrics } from "@orch/runtime/metrics.js";
import { type ApiService, isAvailable } from "./api-service.js";
import type { Verdict } from "./availability.js";

/** What an operator sees of servers of others, by the reference's names. */
export interface AvailabilityMetrics {
  /** An APIService came, changed or went. */
  changed(after: ApiService | undefined, name: string): void;
  /** What was found of one, before it is said in its status. */
  found(service: ApiService, verdict: Verdict): void;
}

/** Counts how often aggregated discovery is made. */
export function createDiscoveryMetric(metrics: Metrics): () => void {
  const count = metrics
    .counter({
      name: "aggregator_discovery_aggregation_count_total",
      help: "How often the document of aggregated discovery was made.",
      stability: "ALPHA",
      labels: [],
    })
    .with({});
  return () => count.inc();
}

/** Counts certificates that clients of other makes will soon refuse, or do already. */
export function createCertificateMetrics(metrics: Metrics): (shown: X509Certificate) => void {
  const counter = (short: string, help: string) =>
    metrics
      .counter({ name: `apiserver_kube_aggregator_x509_${short}_total`, help, stability: "ALPHA", labels: [] })
      .with({});
  const sha1 = counter(
    "insecure_sha1",
    "Connections to servers of APIServices whose certificate is signed with SHA-1.",
  );
  const nameless = counter(
    "missing_san",
    "Connections to servers of APIServices whose certificate has no names of hosts.",
  );
  return (shown) => {
    if (shown.subjectAltName === undefined) nameless.inc();
    // Node's types do not know of it yet.
    const algorithm: unknown = Reflect.get(shown, "signatureAlgorithm");
    if (String(algorithm).toLowerCase().includes("sha1")) sha1.inc();
  };
}

export function createAvailabilityMetrics(metrics: Metrics): AvailabilityMetrics {
  const unavailable = metrics.gauge({
    name: "aggregator_unavailable_apiservice",
    help: "1 for each APIService whose server cannot be asked.",
    stability: "ALPHA",
    labels: ["name"],
    join: "max",
  });
  const total = metrics.counter({
    name: "aggregator_unavailable_apiservice_total",
    help: "How often an APIService's server could not be asked any more, by reason.",
    stability: "ALPHA",
    labels: ["name", "reason"],
  });
  const drop = (name: string): void => {
    unavailable.drop({ name });
    total.drop({ name });
  };
  return {
    changed(after, name) {
      if (after?.remote !== undefined) return;
      drop(name);
      if (after !== undefined) unavailable.with({ name }).set(0);
    },
    found(service, verdict) {
      const { name } = service;
      const isWell = verdict.status === "True";
      unavailable.with({ name }).set(isWell ? 0 : 1);
      if (!isWell && isAvailable(service)) total.with({ name, reason: verdict.reason }).inc();
    },
  };
}
