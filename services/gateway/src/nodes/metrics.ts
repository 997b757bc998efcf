import type { Metrics } from "@orch/runtime/metrics.js";

/** What is counted of pods' logs, by the reference's names. */
export interface NodeMetrics {
  /** A log was asked for, of an agent whose certificate is checked or need not be. */
  logAsked(insecure: boolean): void;
  /** The certificate of a node's agent was no good. */
  distrusted(): void;
}

export function createNodeMetrics(metrics: Metrics): NodeMetrics {
  const asked = metrics.counter({
    name: "kube_apiserver_pod_logs_insecure_backend_total",
    help: "Requests for logs of pods, by whether the certificate of the node's agent is checked.",
    stability: "ALPHA",
    labels: ["usage"],
  });
  const checked = asked.with({ usage: "enforce_tls" });
  const skipped = asked.with({ usage: "skip_tls_allowed" });
  const distrusted = metrics
    .counter({
      name: "kube_apiserver_pod_logs_backend_tls_failure_total",
      help: "Requests for logs of pods that failed because the certificate of the node's agent was no good.",
      stability: "ALPHA",
      labels: [],
    })
    .with({});
  return {
    logAsked: (insecure) => (insecure ? skipped : checked).inc(),
    distrusted: () => distrusted.inc(),
  };
}
