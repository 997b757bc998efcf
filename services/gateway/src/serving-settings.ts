import type { AccessSettings } from "@orch/access/settings.js";
import type { HistoryPolicy } from "@orch/history/rules.js";
import type { AggregationFlagValues } from "./aggregation/flags.js";
import type { GatewayAuditSettings } from "./audit/flags.js";
import type { ConsoleFlagValues } from "./console/flags.js";
import type { NodeFlagValues } from "./nodes/flags.js";
import type { TlsFlagValues } from "./tls/flags.js";

/** What the serving flags say, and what the files that they name hold. */
export interface ServingSettings {
  readonly bindAddress: string;
  readonly port: number;
  readonly requestTimeoutMs: number;
  readonly http2MaxStreams: number;
  readonly minRequestTimeoutMs: number;
  /** Requests that run at once: those that read, those that write. */
  readonly readsInFlight: number;
  readonly writesInFlight: number;
  /** Priority and fairness divides their sum; else each is a bound. */
  readonly flowControl: boolean;
  readonly shutdownGraceMs: number;
  /** `--shutdown-send-retry-after`. */
  readonly refuseWhileDraining: boolean;
  /** `--profiling`: profiles of the process are served. */
  readonly profiling: boolean;
  readonly cbor: boolean;
  readonly gzip: boolean;
  readonly podResize: boolean;
  /** Gate AggregatedDiscoveryEndpoint. */
  readonly aggregatedDiscovery: boolean;
  /** Gate StorageVersionHash. */
  readonly storageVersionHash: boolean;
  /** Whose past is kept; nobody's where absent. */
  readonly history: HistoryPolicy | undefined;
  /** Whether lists may be sorted, restricted to fields and to what one may see, and selectors have alternatives. */
  readonly listExtensions: boolean;
  /** Who is who and who may do what. */
  readonly access: AccessSettings;
  /** What the gateway is called among those of the cluster; undefined where another process says so for it. */
  readonly identity: { readonly host: string; readonly isAlone: boolean } | undefined;
  /** How servers of others are asked. */
  readonly aggregation: AggregationFlagValues;
  /** How nodes' agents are reached. */
  readonly nodes: NodeFlagValues;
  /** The pages for people. */
  readonly console: ConsoleFlagValues;
  /** Gate PodLogsQuerySplitStreams. */
  readonly podLogStreams: boolean;
  /** What is recorded of requests, and how; nothing where absent. */
  readonly audit?: GatewayAuditSettings | undefined;
  /** Paths of certificates, and how front proxies are known. */
  readonly tls: TlsFlagValues;
}
