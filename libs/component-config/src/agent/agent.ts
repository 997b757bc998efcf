import { loadTypes } from "@orch/api/catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import type { FieldError } from "@orch/status/field-error.js";
import type { Taint } from "../bootstrapper/bootstrapper-shapes.js";
import { type Configuration, configuration } from "../configuration.js";
import { within } from "../rules.js";
import {
  bool,
  borrowed,
  duration,
  given,
  inside,
  int32,
  kind,
  list,
  type Member,
  raw,
  type Struct,
  struct,
  text,
  texts,
  type ValueOf,
} from "../shape.js";

/** What a configuration of a node agent may say beside what is read here; kept as it came. */
const kept = [
  "enableServer",
  "podLogsDir",
  "syncFrequency",
  "fileCheckFrequency",
  "httpCheckFrequency",
  "staticPodURL",
  "staticPodURLHeader",
  "readOnlyPort",
  "tlsCertFile",
  "tlsPrivateKeyFile",
  "tlsCipherSuites",
  "tlsMinVersion",
  "serverTLSBootstrap",
  "registryPullQPS",
  "registryBurst",
  "eventRecordQPS",
  "eventBurst",
  "enableDebuggingHandlers",
  "enableContentionProfiling",
  "oomScoreAdj",
  "streamingConnectionIdleTimeout",
  "imageMinimumGCAge",
  "imageMaximumGCAge",
  "imageGCHighThresholdPercent",
  "imageGCLowThresholdPercent",
  "volumeStatsAggPeriod",
  "agentCgroups",
  "systemCgroups",
  "cgroupRoot",
  "cgroupsPerQOS",
  "cgroupDriver",
  "cpuManagerPolicy",
  "singleProcessOOMKill",
  "cpuManagerPolicyOptions",
  "cpuManagerReconcilePeriod",
  "memoryManagerPolicy",
  "topologyManagerPolicy",
  "topologyManagerScope",
  "topologyManagerPolicyOptions",
  "qosReserved",
  "runtimeRequestTimeout",
  "hairpinMode",
  "podPidsLimit",
  "resolvConf",
  "runOnce",
  "cpuCFSQuota",
  "cpuCFSQuotaPeriod",
  "nodeStatusMaxImages",
  "maxOpenFiles",
  "contentType",
  "orchAPIQPS",
  "orchAPIBurst",
  "serializeImagePulls",
  "maxParallelImagePulls",
  "evictionHard",
  "evictionSoft",
  "evictionSoftGracePeriod",
  "evictionPressureTransitionPeriod",
  "evictionMaxPodGracePeriod",
  "evictionMinimumReclaim",
  "podsPerCore",
  "enableControllerAttachDetach",
  "protectKernelDefaults",
  "makeIPTablesUtilChains",
  "iptablesMasqueradeBit",
  "iptablesDropBit",
  "featureGates",
  "failSwapOn",
  "memorySwap",
  "containerLogMaxSize",
  "containerLogMaxFiles",
  "containerLogMaxWorkers",
  "containerLogMonitorInterval",
  "configMapAndSecretChangeDetectionStrategy",
  "systemReserved",
  "orchReserved",
  "reservedSystemCPUs",
  "showHiddenMetricsForVersion",
  "systemReservedCgroup",
  "orchReservedCgroup",
  "enforceNodeAllocatable",
  "allowedUnsafeSysctls",
  "volumePluginDir",
  "providerID",
  "kernelMemcgNotification",
  "logging",
  "enableSystemLogHandler",
  "enableSystemLogQuery",
  "shutdownGracePeriod",
  "shutdownGracePeriodCriticalPods",
  "shutdownGracePeriodByPodPriority",
  "crashLoopBackOff",
  "reservedMemory",
  "enableProfilingHandler",
  "enableDebugFlagsHandler",
  "seccompDefault",
  "memoryThrottlingFactor",
  "tracing",
  "localStorageCapacityIsolation",
  "containerRuntimeEndpoint",
  "imageServiceEndpoint",
  "failCgroupV1",
] as const;

const enabled = (value: boolean) => ({ enabled: given(bool(value)) });

const agentShape = (taint: Struct<Taint>) =>
  kind("AgentConfiguration", {
    address: text("0.0.0.0"),
    port: int32(10_250),
    staticPodPath: text(),
    rotateCertificates: bool(),
    authentication: inside(
      struct("AgentAuthentication", {
        x509: inside(struct("AgentX509Authentication", { clientCAFile: text() })),
        webhook: inside(struct("AgentWebhookAuthentication", { ...enabled(true), cacheTTL: duration("2m0s") })),
        anonymous: inside(struct("AgentAnonymousAuthentication", enabled(false))),
      }),
    ),
    authorization: inside(
      struct("AgentAuthorization", {
        mode: text("Webhook"),
        webhook: inside(
          struct("AgentWebhookAuthorization", {
            cacheAuthorizedTTL: duration("5m0s"),
            cacheUnauthorizedTTL: duration("30s"),
          }),
        ),
      }),
    ),
    healthzPort: given(int32(10_248)),
    healthzBindAddress: text("127.0.0.1"),
    clusterDomain: text(),
    clusterDNS: texts(),
    nodeStatusUpdateFrequency: duration("10s"),
    nodeStatusReportFrequency: duration("5m0s"),
    nodeLeaseDurationSeconds: int32(40),
    maxPods: int32(110),
    podCIDR: text(),
    registerNode: given(bool(true)),
    registerWithTaints: list(taint),
    ...keptMembers(),
  });

/** What is kept has no names for whoever reads the value. */
function keptMembers(): Readonly<Record<never, Member<unknown>>> {
  return Object.fromEntries(kept.map((name) => [name, raw()]));
}

/** What a simulated node acts by. */
export type AgentConfiguration = ValueOf<ReturnType<typeof agentShape>>;

/** A node agent's configuration, of which a file of the bootstrapper may have a document. */
export function agentConfiguration(naming: Naming): Configuration<AgentConfiguration> {
  const taint: Struct<Taint> = borrowed("Taint", () =>
    loadTypes(naming, ["core.v1", "meta.v1"]).message("core/v1.Taint"),
  );
  const spec = {
    kind: "AgentConfiguration",
    group: "agent.config",
    versions: [{ version: "v1beta1" }],
    shape: agentShape(taint),
    check: checkAgent,
  };
  return configuration(spec, naming);
}

const checkAgent = (value: AgentConfiguration): readonly FieldError[] => [
  ...within("port", value.port, { min: 1, max: 65_535, says: "must be between 1 and 65535, inclusive" }),
  ...within("healthzPort", value.healthzPort, { min: 0, max: 65_535, says: "must be between 0 and 65535, inclusive" }),
  ...within("nodeLeaseDurationSeconds", value.nodeLeaseDurationSeconds, { min: 1, says: "must be greater than 0" }),
  ...within("maxPods", value.maxPods, { min: 0, says: "must be greater than or equal to 0" }),
];
