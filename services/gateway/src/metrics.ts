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

/** Labels hold only what the catalog bounds: a path that names nothing is counted without its words. */
export function recordRequest(metrics: RequestMetrics, call: Call, milliseconds: number): void {
  const { exchange, route } = call;
  const code = String(exchange.code);
  if (route.type !== "resource" || exchange.code === 404 || exchange.code === 401 || exchange.code === 403) {
    const none = { group: "", version: "", resource: "", subresource: "", scope: "", dryRun: "" } as const;
    metrics.observe({ verb: exchange.method, code, ...none }, milliseconds);
    return;
  }
  metrics.observe(
    {
      verb: exchange.method,
      group: route.group,
      version: route.version,
      resource: route.resource,
      subresource: route.subresource,
      scope: route.name !== "" ? "resource" : route.namespace !== "" ? "namespace" : "cluster",
      code,
      dryRun: exchange.query?.get("dryRun") === "All" ? "All" : "",
    },
    milliseconds,
  );
}
