import { flagFields } from "@orch/component-config/flag-fields.js";
import { controllerManagerConfiguration } from "@orch/component-config/managers/controller-manager.js";
import type { LeaderMigration } from "@orch/component-config/managers/leader-migration.js";
import { readConfigurations } from "@orch/component-config/read-configurations.js";
import type { Naming } from "@orch/naming/naming.js";
import { clusterFields } from "./cluster-fields.js";
import { migrationBlock } from "./leader-migration/migration-flags.js";
import { genericFields, impossibleFields } from "./program/generic-fields.js";

const signing = "CSRSigningController";
const autoscaling = "HPAController";

/** Which fields of the configuration stand for which flags; the others are read and not acted on. */
export const configurationFields = {
  ...genericFields,
  "cluster-signing-cert-file": `${signing}.ClusterSigningCertFile`,
  "cluster-signing-key-file": `${signing}.ClusterSigningKeyFile`,
  "cluster-signing-agent-serving-cert-file": `${signing}.AgentServingSignerConfiguration.CertFile`,
  "cluster-signing-agent-serving-key-file": `${signing}.AgentServingSignerConfiguration.KeyFile`,
  "cluster-signing-agent-client-cert-file": `${signing}.AgentClientSignerConfiguration.CertFile`,
  "cluster-signing-agent-client-key-file": `${signing}.AgentClientSignerConfiguration.KeyFile`,
  "cluster-signing-apiserver-client-cert-file": `${signing}.APIServerClientSignerConfiguration.CertFile`,
  "cluster-signing-apiserver-client-key-file": `${signing}.APIServerClientSignerConfiguration.KeyFile`,
  "cluster-signing-legacy-unknown-cert-file": `${signing}.LegacyUnknownSignerConfiguration.CertFile`,
  "cluster-signing-legacy-unknown-key-file": `${signing}.LegacyUnknownSignerConfiguration.KeyFile`,
  "cluster-signing-duration": `${signing}.ClusterSigningDuration`,
  "enable-garbage-collector": "GarbageCollectorController.EnableGarbageCollector",
  "concurrent-gc-syncs": "GarbageCollectorController.ConcurrentGCSyncs",
  "concurrent-namespace-syncs": "NamespaceController.ConcurrentNamespaceSyncs",
  "concurrent-resource-quota-syncs": "ResourceQuotaController.ConcurrentResourceQuotaSyncs",
  "resource-quota-sync-period": "ResourceQuotaController.ResourceQuotaSyncPeriod",
  "concurrent-deployment-syncs": "DeploymentController.ConcurrentDeploymentSyncs",
  "concurrent-replicaset-syncs": "ReplicaSetController.ConcurrentRSSyncs",
  "concurrent-job-syncs": "JobController.ConcurrentJobSyncs",
  "concurrent-ttl-after-finished-syncs": "TTLAfterFinishedController.ConcurrentTTLSyncs",
  "concurrent-cron-job-syncs": "CronJobController.ConcurrentCronJobSyncs",
  "concurrent-daemonset-syncs": "DaemonSetController.ConcurrentDaemonSetSyncs",
  "concurrent-statefulset-syncs": "StatefulSetController.ConcurrentStatefulSetSyncs",
  "concurrent-rc-syncs": "ReplicationController.ConcurrentRCSyncs",
  "concurrent-horizontal-pod-autoscaler-syncs": `${autoscaling}.ConcurrentHorizontalPodAutoscalerSyncs`,
  "horizontal-pod-autoscaler-sync-period": `${autoscaling}.HorizontalPodAutoscalerSyncPeriod`,
  "horizontal-pod-autoscaler-tolerance": `${autoscaling}.HorizontalPodAutoscalerTolerance`,
  "horizontal-pod-autoscaler-downscale-stabilization": `${autoscaling}.HorizontalPodAutoscalerDownscaleStabilizationWindow`,
  "horizontal-pod-autoscaler-cpu-initialization-period": `${autoscaling}.HorizontalPodAutoscalerCPUInitializationPeriod`,
  "horizontal-pod-autoscaler-initial-readiness-delay": `${autoscaling}.HorizontalPodAutoscalerInitialReadinessDelay`,
  "service-account-private-key-file": "SAController.ServiceAccountKeyFile",
  "concurrent-serviceaccount-token-syncs": "SAController.ConcurrentSATokenSyncs",
  "root-ca-file": "SAController.RootCAFile",
  ...clusterFields,
  "service-cluster-ip-range": "NodeIPAMController.ServiceCIDR",
} as const;

/** OrchControllerManagerConfiguration as `--config` takes it. */
export const configurationFile = (naming: Naming) =>
  flagFields({
    of: controllerManagerConfiguration(naming),
    fields: configurationFields,
    others: [migrationBlock],
    impossible: impossibleFields,
  });

/** What documents of it say of controllers that move; undefined where there are none. */
export function configuredMigration(documents: readonly string[], naming: Naming): LeaderMigration | undefined {
  const kind = controllerManagerConfiguration(naming);
  const read = documents.length === 0 ? undefined : readConfigurations(documents.join("\n---\n"), [kind]);
  return read?.ok === true ? read.documents.map(kind.from)[0]?.Generic.LeaderMigration : undefined;
}
