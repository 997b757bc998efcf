import { type Catalog, type CatalogOptions, loadCatalog, RuntimeConfigError } from "@orch/api/catalog.js";
import type { TokenEntry } from "@orch/auth/token-file.js";
import type { HistoryPolicy } from "@orch/history/rules.js";
import type { Naming } from "@orch/naming/naming.js";
import type { FeatureGates } from "@orch/runtime/flags/feature-gates.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import type { Log } from "@orch/runtime/log.js";
import type { GatewayAuditSettings } from "./audit/flags.js";
import type { commandLine } from "./command-line.js";
import type { servingFlags } from "./flags.js";
import type { ServingSettings } from "./serving-settings.js";

/** The serving flags' values as settings: plain data. */
export function servingSettings(
  values: FlagValues<typeof servingFlags>,
  { gates, given, tokens, identity, audit, history }: ServingParts,
): ServingSettings {
  return {
    bindAddress: values["bind-address"],
    port: values["secure-port"],
    requestTimeoutMs: values["request-timeout"],
    readsInFlight: values["max-requests-inflight"],
    writesInFlight: values["max-mutating-requests-inflight"],
    flowControl: values["enable-priority-and-fairness"],
    minRequestTimeoutMs: values["min-request-timeout"],
    http2MaxStreams: values["http2-max-streams-per-connection"],
    shutdownGraceMs: values["shutdown-grace-duration"],
    refuseWhileDraining: values["shutdown-send-retry-after"],
    profiling: values.profiling,
    cbor: gates.enabled("CBORServingAndStorage"),
    gzip: gates.enabled("APIResponseCompression"),
    podResize: gates.enabled("InPlacePodVerticalScaling"),
    aggregatedDiscovery: gates.enabled("AggregatedDiscoveryEndpoint"),
    storageVersionHash: gates.enabled("StorageVersionHash"),
    history,
    listExtensions: hasListExtensions(values),
    access: { values, given: [...given], tokens },
    identity,
    aggregation: values,
    nodes: values,
    console: values,
    podLogStreams: gates.enabled("PodLogsQuerySplitStreams"),
    audit:
      audit === undefined || values["audit-policy-file"] === ""
        ? undefined
        : { ...audit, policyFile: values["audit-policy-file"] },
    tls: values,
  };
}

/** Clients of the reference find what they know, unless the flag says otherwise. */
export function hasListExtensions(
  values: Pick<FlagValues<typeof servingFlags>, "list-extensions" | "api-dialect">,
): boolean {
  const { "list-extensions": said, "api-dialect": dialect } = values;
  return said === "auto" ? dialect !== "kubernetes" : said === "on";
}

export interface ServingParts {
  readonly gates: FeatureGates;
  /** Names of the flags that were given. */
  readonly given: ReadonlySet<string>;
  readonly identity: ServingSettings["identity"];
  /** Bearer tokens besides those of `--token-auth-file`. */
  readonly tokens: readonly TokenEntry[];
  /** Whose past is kept; nobody's where absent. */
  readonly history?: HistoryPolicy | undefined;
  /** How events go to who keeps them; absent where nobody does. */
  readonly audit?: Omit<GatewayAuditSettings, "policyFile"> | undefined;
}

/** How a gateway that is a process of its own sends events to who keeps them. */
export function auditSettings(values: FlagValues<AuditFlags>): ServingParts["audit"] {
  const folder = values["audit-spool-directory"];
  const spool = folder === "" ? undefined : { folder, maxBytes: values["audit-spool-max-bytes"] };
  return { mode: values["audit-mode"], spool };
}

type AuditFlags = Pick<typeof commandLine.flags, "audit-mode" | "audit-spool-directory" | "audit-spool-max-bytes">;

export interface CatalogTools {
  /** Ends the start with a sentence about a wrong flag. */
  readonly refuse: (problem: string) => never;
  readonly log: Log;
}

/** The catalog as the flags have it. */
export function servedCatalog(naming: Naming, options: CatalogOptions, { refuse, log }: CatalogTools): Catalog {
  try {
    const catalog = loadCatalog(naming, options);
    for (const warning of catalog.warnings) log.warn({}, warning);
    return catalog;
  } catch (error) {
    if (error instanceof RuntimeConfigError) return refuse(error.message);
    throw error;
  }
}
