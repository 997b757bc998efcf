import { createAggregationController } from "./aggregation/aggregation-controller.js";
import { type AutoscalerConfig, createAutoscalerController } from "./autoscaling/autoscaler-controller.js";
import { createApprovingController } from "./certificates/approving-controller.js";
import { createCleaner } from "./certificates/cleaner.js";
import { createSigningController, type SigningConfig } from "./certificates/signing-controller.js";
import { type ClusterConfig, clusterMakers } from "./cluster-controllers.js";
import type { ManagerController } from "./controller.js";
import { createCronJobController } from "./cronjobs/cronjob-controller.js";
import { createDaemonSetController } from "./daemonsets/daemonset-controller.js";
import { createDefinitionFinalizer } from "./definitions/finalizing-controller.js";
import { createDeploymentController } from "./deployments/deployment-controller.js";
import { createFlowSchemaStatusController } from "./flow-schemas/status-controller.js";
import { createGarbageCollector } from "./garbage/collector.js";
import { createJobController } from "./jobs/job-controller.js";
import type { Makers, ManagerConfig, Term } from "./manager.js";
import { createNamespaceController } from "./namespaces/namespace-controller.js";
import { createPolicyStatusController } from "./policies/status-controller.js";
import { createAttributesProtectionController } from "./protection/attributes.js";
import { createClaimProtectionController } from "./protection/claims.js";
import { createVolumeProtectionController } from "./protection/volumes.js";
import { createQuotaController, type QuotaConfig } from "./quota/quota-controller.js";
import { createReplicaSetController, createReplicationController } from "./replicas/replicas-controller.js";
import { createRootCaPublisher } from "./root-ca/root-ca-publisher.js";
import { createServiceAccountController } from "./service-accounts.js";
import { createStatefulSetController } from "./statefulsets/statefulset-controller.js";
import { createStorageMigrator } from "./storage-migration/migrator.js";
import { createVersionCollector } from "./storage-versions/version-collector.js";
import { createTokenController } from "./tokens/token-controller.js";
import { createTtlController } from "./ttl-after-finished/ttl-controller.js";

export interface ControllerManagerConfig {
  readonly controllers: ReadonlySet<ManagerController>;
  readonly garbageCollectorWorkers: number;
  readonly namespaceWorkers: number;
  /** Between a namespace's deletion and its emptying. */
  readonly namespaceQuietMs: number;
  /** What service accounts' secrets and pods are given; what is absent is given to nobody. */
  readonly accounts?: AccountSettings;
  /** Objects of a kind that are looked at at once. */
  readonly workers: WorkloadWorkers;
  readonly autoscaling: AutoscalerConfig;
  readonly signing: SigningConfig;
  readonly quotas: QuotaConfig;
  readonly cluster: ClusterConfig;
  /** Of all of {@link controllers}, or of those that run here. */
  readonly terms: readonly Term<ManagerController>[];
}

export interface WorkloadWorkers {
  readonly deployments: number;
  readonly replicaSets: number;
  readonly jobs: number;
  readonly finishedJobs: number;
  readonly cronJobs: number;
  readonly daemonSets: number;
  readonly statefulSets: number;
  readonly replicationControllers: number;
}

export interface AccountSettings {
  /** PEM of the private key that signs the tokens in Secrets. */
  readonly tokenKeyPem: string | undefined;
  /** Secrets that are filled at once. */
  readonly tokenWorkers: number;
  /** PEM bundle by which pods know the server. */
  readonly rootCa: string | undefined;
}

/** What of the settings runs under which lease, and how each controller is made. */
export const managed = (config: ControllerManagerConfig): ManagerConfig<ManagerController> => ({
  make: makersOf(config),
  terms: config.terms,
});

function makersOf(config: ControllerManagerConfig): Makers<ManagerController> {
  const { tokenKeyPem, tokenWorkers = 1, rootCa }: Partial<AccountSettings> = config.accounts ?? {};
  const { workers, signing } = config;
  const { authorities } = signing;
  return {
    "garbage-collector-controller": (tools) =>
      createGarbageCollector({ workers: config.garbageCollectorWorkers }, tools),
    "namespace-controller": (tools) =>
      createNamespaceController({ workers: config.namespaceWorkers, quietMs: config.namespaceQuietMs }, tools),
    "serviceaccount-controller": createServiceAccountController,
    "clusterrole-aggregation-controller": createAggregationController,
    "serviceaccount-token-controller": (tools) =>
      tokenKeyPem === undefined
        ? { lacks: "--service-account-private-key-file is not given" }
        : createTokenController({ signingKeyPem: tokenKeyPem, rootCa, workers: tokenWorkers }, tools),
    "root-ca-certificate-publisher-controller": (tools) =>
      rootCa === undefined ? { lacks: "--root-ca-file is not given" } : createRootCaPublisher({ rootCa }, tools),
    "certificatesigningrequest-approving-controller": createApprovingController,
    "certificatesigningrequest-signing-controller": (tools) =>
      Object.keys(authorities).length === 0
        ? { lacks: "no files of an authority are named, --cluster-signing-cert-file and its key" }
        : createSigningController(config.signing, tools),
    "certificatesigningrequest-cleaner-controller": createCleaner,
    "flowschema-status-controller": createFlowSchemaStatusController,
    "persistentvolumeclaim-protection-controller": createClaimProtectionController,
    "persistentvolume-protection-controller": createVolumeProtectionController,
    "resourcequota-controller": (tools) => createQuotaController(config.quotas, tools),
    "customresourcedefinition-finalizing-controller": createDefinitionFinalizer,
    "validatingadmissionpolicy-status-controller": createPolicyStatusController,
    "storage-version-migrator-controller": createStorageMigrator,
    "volumeattributesclass-protection-controller": createAttributesProtectionController,
    "storageversion-garbage-collector-controller": createVersionCollector,
    "replicaset-controller": (tools) => createReplicaSetController({ workers: workers.replicaSets }, tools),
    "replicationcontroller-controller": (tools) =>
      createReplicationController({ workers: workers.replicationControllers }, tools),
    "job-controller": (tools) => createJobController({ workers: workers.jobs }, tools),
    "ttl-after-finished-controller": (tools) => createTtlController({ workers: workers.finishedJobs }, tools),
    "cronjob-controller": (tools) => createCronJobController({ workers: workers.cronJobs }, tools),
    "daemonset-controller": (tools) => createDaemonSetController({ workers: workers.daemonSets }, tools),
    "statefulset-controller": (tools) => createStatefulSetController({ workers: workers.statefulSets }, tools),
    "deployment-controller": (tools) => createDeploymentController({ workers: workers.deployments }, tools),
    ...clusterMakers(config.cluster),
    "horizontal-pod-autoscaler-controller": (tools) => createAutoscalerController(config.autoscaling, tools),
  };
}
