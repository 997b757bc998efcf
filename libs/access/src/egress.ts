import { existsSync, readFileSync } from "node:fs";
import type { Naming } from "@orch/naming/naming.js";
import type { Egress, EgressObserver } from "@orch/outbound/egress/egress.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { messageOf } from "@orch/status/message-of.js";

export interface EgressOptions {
  readonly naming: Naming;
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, "monotonic">;
  /** Ends the start with a sentence. */
  readonly refuse: (problem: string) => never;
}

/** By which way connections leave this process, as `--egress-selector-config-file` says; undefined: straight. */
export async function openEgress(path: string, options: EgressOptions): Promise<Egress | undefined> {
  const { naming, metrics, clock, refuse } = options;
  if (path === "") return undefined;
  if (!existsSync(path)) return refuse(`egress-selector-config-file ${path} does not exist`);
  const [{ parseEgressFile }, { createEgress }] = await Promise.all([
    import("@orch/outbound/egress/configuration-file.js"),
    import("@orch/outbound/egress/egress.js"),
  ]);
  const parsed = parseEgressFile(textOf(path, refuse), { naming, exists: existsSync });
  if (!parsed.ok) return refuse(parsed.problem);
  return createEgress(parsed.configuration, { observer: egressMetrics(metrics), monotonic: clock.monotonic });
}

function textOf(path: string, refuse: (problem: string) => never): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return refuse(
      `failed to read egress selector config: unable to read egress selector configuration from ${JSON.stringify(path)} [${messageOf(error)}]`,
    );
  }
}

const dialSeconds = [0.005, 0.025, 0.1, 0.5, 2.5, 12.5];

/** What is counted of dials through proxies, by the reference's names. */
function egressMetrics(metrics: Metrics): EgressObserver {
  const labels = ["protocol", "transport"] as const;
  const starts = metrics.counter({
    name: "apiserver_egress_dialer_dial_start_total",
    help: "Dials through a proxy.",
    stability: "ALPHA",
    labels,
  });
  const durations = metrics.histogram({
    name: "apiserver_egress_dialer_dial_duration_seconds",
    help: "Time until a connection through a proxy was there.",
    stability: "ALPHA",
    labels,
    buckets: dialSeconds,
  });
  const failures = metrics.counter({
    name: "apiserver_egress_dialer_dial_failure_count",
    help: "Dials through a proxy that failed, at the proxy itself (connect) or behind it (proxy).",
    stability: "ALPHA",
    labels: [...labels, "stage"],
  });
  return {
    started: (of) => starts.with({ ...of }).inc(),
    dialed: (of, seconds) => durations.with({ ...of }).observe(seconds),
    failed: (of, stage) => failures.with({ ...of, stage }).inc(),
  };
}
