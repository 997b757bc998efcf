import type { ConversionFailure, ConversionObserver } from "@orch/api/custom/convert.js";
import type { Metrics } from "@orch/runtime/metrics.js";

const seconds = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];
/** 1 ms, and twice as much with each further one. */
const doubling = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
const failures: Readonly<Record<ConversionFailure, string>> = {
  call: "conversion_webhook_call_failure",
  malformed: "conversion_webhook_malformed_response_failure",
  object: "conversion_webhook_invalid_converted_object_failure",
};

/** What is told of the webhooks of definitions, by the reference's names. `now`: milliseconds that only grow. */
export function createConversionMetrics(metrics: Metrics, now: () => number): ConversionObserver {
  const labels = ["result", "failure_type"] as const;
  const requests = metrics.counter({
    name: "apiserver_conversion_webhook_request_total",
    help: "Requests to conversion webhooks by what came of them.",
    stability: "ALPHA",
    labels,
  });
  const duration = metrics.histogram({
    name: "apiserver_conversion_webhook_duration_seconds",
    help: "Time of requests to conversion webhooks by what came of them.",
    stability: "ALPHA",
    labels,
    buckets: seconds,
  });
  const perDefinition = metrics.histogram({
    name: "apiserver_crd_conversion_webhook_duration_seconds",
    help: "Time of requests to conversion webhooks by definition and versions.",
    stability: "ALPHA",
    labels: ["crd_name", "from_version", "to_version", "succeeded"],
    buckets: doubling,
  });
  return ({ name, fromVersion, toVersion }) => {
    const began = now();
    return (failure) => {
      const took = (now() - began) / 1000;
      const succeeded = failure === undefined;
      const of = {
        result: succeeded ? "success" : "failure",
        failure_type: failure === undefined ? "" : failures[failure],
      };
      requests.with(of).inc();
      duration.with(of).observe(took);
      perDefinition
        .with({ crd_name: name, from_version: fromVersion, to_version: toVersion, succeeded: String(succeeded) })
        .observe(took);
    };
  };
}
