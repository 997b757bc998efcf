import type { Metrics } from "@orch/runtime/metrics.js";

type Type = "mutating" | "validating";

interface Of {
  readonly name: string;
  readonly type: Type;
  readonly operation: string;
}

/** What is told of webhooks, as the reference names it. */
export interface WebhookMetrics {
  asked(of: Of & { readonly rejected: boolean; readonly code: number }, seconds: number): void;
  rejected(of: Of, error: "no_error" | "calling_webhook_error", code: number): void;
  failedOpen(name: string, type: Type): void;
  /** What came of the match conditions of a webhook, and how long they took. */
  matched(of: Of, came: "matches" | "excluded" | "failed", seconds: number): void;
}

/** Of whoever keeps no metrics. */
export const noWebhookMetrics: WebhookMetrics = {
  asked() {},
  rejected() {},
  failedOpen() {},
  matched() {},
};

/** As the reference calls them. */
const shown: Readonly<Record<Type, string>> = { mutating: "admit", validating: "validating" };
const conditionBuckets = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
/** Codes that webhooks answer with are theirs to choose: those above are told as the last of them, as in the reference. */
const mostCode = 600;
/** Names are of objects that administrators write; there are as many series as they have webhooks, and then no more. */
const mostNames = 1000;

export function createWebhookMetrics(metrics: Metrics): WebhookMetrics {
  const names = new Set<string>();
  const known = (name: string): string => {
    if (names.has(name)) return name;
    if (names.size >= mostNames) return "other";
    names.add(name);
    return name;
  };
  const duration = metrics.histogram({
    name: "apiserver_admission_webhook_admission_duration_seconds",
    help: "Time of admission webhooks by name, operation and type, and whether the write was refused.",
    stability: "STABLE",
    labels: ["name", "type", "operation", "rejected"],
    buckets,
  });
  const requests = metrics.counter({
    name: "apiserver_admission_webhook_request_total",
    help: "Requests to admission webhooks by name, operation, type, code, and whether the write was refused.",
    stability: "ALPHA",
    labels: ["name", "type", "operation", "code", "rejected"],
  });
  const rejections = metrics.counter({
    name: "apiserver_admission_webhook_rejection_count",
    help: "Refusals by admission webhooks by name, operation, type, what failed, and code.",
    stability: "ALPHA",
    labels: ["name", "type", "operation", "error_type", "rejection_code"],
  });
  const open = metrics.counter({
    name: "apiserver_admission_webhook_fail_open_count",
    help: "Writes that went on without the answer of an admission webhook.",
    stability: "ALPHA",
    labels: ["name", "type"],
  });
  const conditions = metrics.counter({
    name: "apiserver_admission_match_condition_evaluation_errors_total",
    help: "Match conditions that came to an error.",
    stability: "ALPHA",
    labels: ["name", "kind", "type", "operation"],
  });
  const conditionSeconds = metrics.histogram({
    name: "apiserver_admission_match_condition_evaluation_seconds",
    help: "Time of the match conditions of a webhook.",
    stability: "ALPHA",
    labels: ["name", "kind", "type", "operation"],
    buckets: conditionBuckets,
  });
  const exclusions = metrics.counter({
    name: "apiserver_admission_match_condition_exclusions_total",
    help: "Writes that match conditions kept from a webhook.",
    stability: "ALPHA",
    labels: ["name", "kind", "type", "operation"],
  });
  const codeOf = (code: number): string => String(Math.min(code, mostCode));
  return {
    asked({ name, type, operation, rejected, code }, seconds) {
      const of = { name: known(name), type: shown[type], operation, rejected: String(rejected) };
      duration.with(of).observe(seconds);
      requests.with({ ...of, code: codeOf(code) }).inc();
    },
    rejected({ name, type, operation }, error, code) {
      const of = { name: known(name), type: shown[type], operation };
      rejections.with({ ...of, error_type: error, rejection_code: codeOf(code) }).inc();
    },
    failedOpen: (name, type) => open.with({ name: known(name), type: shown[type] }).inc(),
    matched({ name, type, operation }, came, seconds) {
      const of = { name: known(name), kind: "webhook", type: shown[type], operation };
      conditionSeconds.with(of).observe(seconds);
      if (came === "failed") conditions.with(of).inc();
      if (came === "excluded") exclusions.with(of).inc();
    },
  };
}
