import type { ClientObserver } from "@orch/client/http/http.js";
import type { Metrics } from "@orch/runtime/metrics.js";

const seconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const bytes = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

export interface RestMetricsOptions {
  /** Where requests go: `host:port`. */
  readonly host: string;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** What is told of a client's requests, by the names that clients of the reference use. */
export function createRestMetrics(metrics: Metrics, { host, now }: RestMetricsOptions): ClientObserver {
  const requests = metrics.counter({
    name: "rest_client_requests_total",
    help: "Requests by method, host and status; <error> where no answer came.",
    stability: "ALPHA",
    labels: ["code", "method", "host"],
  });
  const perVerb = { stability: "ALPHA", labels: ["verb", "host"] } as const;
  const duration = metrics.histogram({
    ...{ ...perVerb, name: "rest_client_request_duration_seconds", buckets: seconds },
    help: "Time of requests until their answers were read; of a watch until it began.",
  });
  const requestBytes = metrics.histogram({
    ...{ ...perVerb, name: "rest_client_request_size_bytes", buckets: bytes },
    help: "Bytes of the bodies of requests.",
  });
  const responseBytes = metrics.histogram({
    ...{ ...perVerb, name: "rest_client_response_size_bytes", buckets: bytes },
    help: "Bytes of the bodies of answers; those of watches are not counted.",
  });
  return {
    sent({ method, bytes: sent }) {
      const began = now();
      return (code, received) => {
        const of = { verb: method, host };
        requests.with({ code: code === undefined ? "<error>" : String(code), method, host }).inc();
        duration.with(of).observe((now() - began) / 1000);
        requestBytes.with(of).observe(sent);
        responseBytes.with(of).observe(received);
      };
    },
  };
}
