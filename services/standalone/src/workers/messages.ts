import type { commonFlags } from "@orch/runtime/flags/common-flags.js";
import type { egressFlags } from "@orch/runtime/flags/egress-flags.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import type { releaseFlags } from "@orch/runtime/flags/release-flags.js";
import type { Family } from "@orch/runtime/metric/metric-text.js";
import type { servingFlags } from "@orch/service-gateway/flags.js";
import type { ServingSettings } from "@orch/service-gateway/serving-settings.js";

/** The flags that a worker's log, gates, metrics, names and catalog are made of. */
export type WorkerFlags = FlagValues<
  typeof commonFlags &
    typeof egressFlags &
    typeof releaseFlags &
    Pick<typeof servingFlags, "livez-grace-period" | "api-dialect" | "runtime-config">
>;

/** Paths of the Unix domain sockets on which the services behind answer. */
export interface SocketPaths {
  readonly caches: string;
  readonly resources: string;
  readonly audit: string;
}

/** What a worker is made of. It goes there as a message: keys and tokens touch neither disk nor command line. */
export interface WorkerSettings {
  /** Its place in the pool, from 0; a worker that takes over has the place of the one before. */
  readonly slot: number;
  readonly serving: ServingSettings;
  readonly flags: WorkerFlags;
  readonly sockets: SocketPaths;
}

/** What the main process tells a worker. */
export type Order =
  | { readonly type: "settings"; readonly settings: WorkerSettings }
  /** Readiness falls. */
  | { readonly type: "shutDown" }
  /** It takes no more connections and tells when those that it has are answered. */
  | { readonly type: "drain" }
  | { readonly type: "stop" }
  /** A connection comes along with it. */
  | { readonly type: "connection"; readonly id: number }
  | { readonly type: "families"; readonly id: number }
  | { readonly type: "page"; readonly id: number; readonly text: string };

/** What a worker tells the main process. */
export type Report =
  /** It takes orders now. */
  | { readonly type: "hello" }
  | { readonly type: "serving" }
  /** The connection is in good hands. */
  | { readonly type: "taken"; readonly id: number }
  /** Its readyz said 200 for the first time. */
  | { readonly type: "ready" }
  | { readonly type: "drained" }
  | { readonly type: "families"; readonly id: number; readonly families: readonly Family[] }
  /** It wants the metrics of all processes. */
  | { readonly type: "page"; readonly id: number };

const orders: ReadonlySet<unknown> = new Set<Order["type"]>([
  "settings",
  "shutDown",
  "drain",
  "stop",
  "connection",
  "families",
  "page",
]);
const reports: ReadonlySet<unknown> = new Set<Report["type"]>([
  "hello",
  "serving",
  "taken",
  "ready",
  "drained",
  "families",
  "page",
]);

// Both ends are of one build and nobody else has the channel: its type says what a message is.
export const isOrder = (message: unknown): message is Order => orders.has(typeOf(message));
export const isReport = (message: unknown): message is Report => reports.has(typeOf(message));

function typeOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "type" in message ? message.type : undefined;
}
