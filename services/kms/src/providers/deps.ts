import type { Clock } from "@orch/status/clock.js";
import type { KmsMetrics } from "../metrics.js";
import type { PluginConnection } from "../plugin/connection.js";
import type { Times } from "./provider.js";

export interface ProviderDeps {
  readonly connection: PluginConnection;
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  readonly times: Times;
  readonly metrics: KmsMetrics;
  readonly log: (what: string, reason: string) => void;
  readonly newUid: () => string;
  /** So many random bytes. */
  readonly randomBytes: (length: number) => Buffer;
  /** What it has to tell with the keys has changed. */
  readonly changed: () => void;
}
