import type { Clock } from "@orch/status/clock.js";
import type { Freshness } from "./freshness.js";
import { type Answer, notFound, type Page } from "./page-server.js";

export interface HealthPagesOptions {
  readonly freshness: Freshness;
  /** Whether the node may be given traffic: it is not being deleted or scaled away. */
  readonly isEligible: () => boolean;
  readonly clock: Pick<Clock, "now">;
  readonly told: (kind: "healthz" | "livez", code: number) => void;
}

/** `/livez` says whether the proxy does its work, `/healthz` whether the node is to be used besides. */
export function healthPages({ freshness, isEligible, clock, told }: HealthPagesOptions): Answer {
  const page = (code: number): Page => {
    const body = {
      lastUpdated: new Date(freshness.lastUpdated).toISOString(),
      currentTime: new Date(clock.now()).toISOString(),
      nodeEligible: isEligible(),
    };
    return { code, type: "application/json", body: JSON.stringify(body) };
  };
  return (path) => {
    if (path !== "/healthz" && path !== "/livez") return notFound;
    const kind = path === "/healthz" ? "healthz" : "livez";
    const code = freshness.isFresh && (kind === "livez" || isEligible()) ? 200 : 503;
    told(kind, code);
    return page(code);
  };
}
