import type { Metrics } from "@orch/runtime/metrics.js";

/** What the proxy tells of itself. */
export interface Telemetry {
  synced(kind: "full" | "partial", seconds: number): void;
  failed(): void;
  /** Rules by table, of each family: asked whenever metrics are read. */
  sizes(read: () => readonly Readonly<Record<string, number>>[]): void;
  changed(what: "service" | "endpoint"): void;
  /** All changes that were queued are written. */
  written(): void;
  asked(kind: "healthz" | "livez", code: number): void;
}

const seconds = [
  0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384,
];

/** The reference's names. */
export function createTelemetry(metrics: Metrics, mode: "iptables" | "nftables", now: () => number): Telemetry {
  const name = (rest: string): string => `kubeproxy_${rest}`;
  const plain = { labels: [], stability: "ALPHA" } as const;
  const durations = (rest: string, help: string) =>
    metrics.histogram({ ...plain, name: name(rest), help, buckets: seconds }).with({});
  const all = durations("sync_proxy_rules_duration_seconds", "How long syncs of rules took.");
  const kinds = {
    full: durations("sync_full_proxy_rules_duration_seconds", "How long syncs took that wrote all rules."),
    partial: durations("sync_partial_proxy_rules_duration_seconds", "How long syncs took that wrote changes."),
  };
  const failures = metrics
    .counter({
      ...plain,
      name: name(`sync_proxy_rules_${mode === "iptables" ? "iptables_restore" : "nftables_sync"}_failures_total`),
      help: "Syncs whose rules the kernel did not take.",
    })
    .with({});
  const gauge = (rest: string, help: string) => metrics.gauge({ ...plain, name: name(rest), help }).with({});
  const lastSync = gauge("sync_proxy_rules_last_timestamp_seconds", "When rules were last written.");
  const lastQueued = gauge("sync_proxy_rules_last_queued_timestamp_seconds", "When a sync was last asked for.");
  const rules = metrics.gauge({
    ...{ labels: ["table"], stability: "ALPHA", name: name(`sync_proxy_rules_${mode}_total`) },
    help: "Rules that the proxy has, by table.",
  });
  const changes = (what: string) => ({
    total: metrics
      .counter({ ...plain, name: name(`sync_proxy_rules_${what}_changes_total`), help: `Changes of ${what}s.` })
      .with({}),
    pending: gauge(`sync_proxy_rules_${what}_changes_pending`, `Changes of ${what}s that wait for a sync.`),
  });
  const byWhat = { service: changes("service"), endpoint: changes("endpoint") };
  const asked = (kind: "healthz" | "livez") =>
    metrics.counter({
      ...{ labels: ["code"], stability: "ALPHA", name: name(`proxy_${kind}_total`) },
      help: `Answers of /${kind}, by code.`,
    });
  const pages = { healthz: asked("healthz"), livez: asked("livez") };
  const waiting = { service: 0, endpoint: 0 };
  return {
    synced(kind, took) {
      all.observe(took);
      kinds[kind].observe(took);
      lastSync.set(now() / 1000);
    },
    failed: () => failures.inc(),
    sizes(read) {
      metrics.onRead(() => {
        const sums = new Map<string, number>();
        for (const [table, count] of read().flatMap(Object.entries<number>)) {
          sums.set(table, (sums.get(table) ?? 0) + count);
        }
        for (const [table, count] of sums) rules.with({ table }).set(count);
      });
    },
    changed(what) {
      byWhat[what].total.inc();
      byWhat[what].pending.set(++waiting[what]);
      lastQueued.set(now() / 1000);
    },
    written() {
      for (const what of ["service", "endpoint"] as const) {
        waiting[what] = 0;
        byWhat[what].pending.set(0);
      }
    },
    asked: (kind, code) => pages[kind].with({ code: String(code) }).inc(),
  };
}
