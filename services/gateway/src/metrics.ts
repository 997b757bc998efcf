import type { Call } from "./call.js";

/** Where requests are counted; the process binds it to its metrics registry. */
export interface RequestMetrics {
  observe(labels: RequestLabels, milliseconds: number): void;
}

export interface RequestLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: "cluster" | "namespace" | "resource" | "";
  readonly code: string;
  readonly dryRun: string;
}

/** Labels hold only words of the catalog: whatever else a client writes into a path is counted without them. */
export function recordRequest(metrics: RequestMetrics, call: Call, milliseconds: number): void {
  const { exchange, route, kind } = call;
  const base = { verb: exchange.method, code: String(exchange.code) };
  if (route.type !== "resource" || kind === undefined) {
    const none = { group: "", version: "", resource: "", subresource: "", scope: "", dryRun: "" } as const;
    metrics.observe({ ...base, ...none }, milliseconds);
    return;
  }
  const subresource = kind.subresources.some((s) => s.name === route.subresource) ? route.subresource : "";
  metrics.observe(
    {
      ...base,
      group: kind.group,
      version: kind.version,
      resource: kind.plural,
      subresource,
      scope: route.name !== "" ? "resource" : route.namespace !== "" ? "namespace" : "cluster",
      dryRun: exchange.query?.get("dryRun") === "All" ? "All" : "",
    },
    milliseconds,
  );
}
