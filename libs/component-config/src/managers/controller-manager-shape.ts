import type { Naming } from "@orch/naming/naming.js";
import {
  bool,
  duration,
  float,
  given,
  inside,
  int32,
  kind,
  list,
  type Member,
  type Members,
  struct,
  text,
  type ValueOf,
  type Values,
} from "../shape.js";
import { cloudSharedShape, genericShape } from "./generic.js";

/** The block of a controller. */
const block = <M extends Members>(controller: string, members: M): Member<Values<M>> =>
  inside(struct(`${controller}Configuration`, members));

const signer = inside(struct("CSRSigningConfiguration", { CertFile: text(), KeyFile: text() }));
const groupResource = struct("GroupResource", { Group: text(), Resource: text() });

const recycler = inside(
  struct("PersistentVolumeRecyclerConfiguration", {
    MaximumRetry: int32(3),
    MinimumTimeoutNFS: int32(300),
    PodTemplateFilePathNFS: text(),
    IncrementTimeoutNFS: int32(30),
    PodTemplateFilePathHostPath: text(),
    MinimumTimeoutHostPath: int32(60),
    IncrementTimeoutHostPath: int32(30),
  }),
);

const volumes = (naming: Naming) =>
  inside(
    struct("VolumeConfiguration", {
      EnableHostPathProvisioning: given(bool()),
      EnableDynamicProvisioning: given(bool(true)),
      PersistentVolumeRecyclerConfiguration: recycler,
      FlexVolumePluginDir: text(
        `/usr/libexec/${naming.word("orch")}/${naming.configurationWord("agent")}-plugins/volume/exec/`,
      ),
    }),
  );

/** All blocks of the document, in its order. */
export const controllerManagerShape = (naming: Naming) =>
  kind("OrchControllerManagerConfiguration", {
    Generic: inside(genericShape(naming, naming.systemName("controller-manager"))),
    OrchCloudShared: inside(cloudSharedShape(naming.word("orch"))),
    AttachDetachController: block("AttachDetachController", {
      DisableAttachDetachReconcilerSync: bool(),
      ReconcilerSyncLoopPeriod: duration("1m0s"),
      disableForceDetachOnTimeout: bool(),
    }),
    CSRSigningController: block("CSRSigningController", {
      ClusterSigningCertFile: text(),
      ClusterSigningKeyFile: text(),
      AgentServingSignerConfiguration: signer,
      AgentClientSignerConfiguration: signer,
      APIServerClientSignerConfiguration: signer,
      LegacyUnknownSignerConfiguration: signer,
      ClusterSigningDuration: duration("8760h0m0s"),
    }),
    DaemonSetController: block("DaemonSetController", { ConcurrentDaemonSetSyncs: int32(2) }),
    DeploymentController: block("DeploymentController", { ConcurrentDeploymentSyncs: int32(5) }),
    StatefulSetController: block("StatefulSetController", { ConcurrentStatefulSetSyncs: int32(5) }),
    DeprecatedController: block("DeprecatedController", {}),
    EndpointController: block("EndpointController", {
      ConcurrentEndpointSyncs: int32(5),
      EndpointUpdatesBatchPeriod: duration(),
    }),
    EndpointSliceController: block("EndpointSliceController", {
      ConcurrentServiceEndpointSyncs: int32(5),
      MaxEndpointsPerSlice: int32(100),
      EndpointUpdatesBatchPeriod: duration(),
    }),
    EndpointSliceMirroringController: block("EndpointSliceMirroringController", {
      MirroringConcurrentServiceEndpointSyncs: int32(5),
      MirroringMaxEndpointsPerSubset: int32(1000),
      MirroringEndpointUpdatesBatchPeriod: duration(),
    }),
    EphemeralVolumeController: block("EphemeralVolumeController", { ConcurrentEphemeralVolumeSyncs: int32(5) }),
    GarbageCollectorController: block("GarbageCollectorController", {
      EnableGarbageCollector: given(bool(true)),
      ConcurrentGCSyncs: int32(20),
      GCIgnoredResources: list(groupResource, [
        { Group: "", Resource: "events" },
        { Group: naming.group("events"), Resource: "events" },
      ]),
    }),
    HPAController: block("HPAController", {
      ConcurrentHorizontalPodAutoscalerSyncs: int32(5),
      HorizontalPodAutoscalerSyncPeriod: duration("15s"),
      HorizontalPodAutoscalerDownscaleStabilizationWindow: duration("5m0s"),
      HorizontalPodAutoscalerTolerance: float(0.1),
      HorizontalPodAutoscalerCPUInitializationPeriod: duration("5m0s"),
      HorizontalPodAutoscalerInitialReadinessDelay: duration("30s"),
    }),
    JobController: block("JobController", { ConcurrentJobSyncs: int32(5) }),
    CronJobController: block("CronJobController", { ConcurrentCronJobSyncs: int32(5) }),
    LegacySATokenCleaner: block("LegacySATokenCleaner", { CleanUpPeriod: duration("8760h0m0s") }),
    NamespaceController: block("NamespaceController", {
      NamespaceSyncPeriod: duration("5m0s"),
      ConcurrentNamespaceSyncs: int32(10),
    }),
    NodeIPAMController: block("NodeIPAMController", {
      ServiceCIDR: text(),
      SecondaryServiceCIDR: text(),
      NodeCIDRMaskSize: int32(24),
      NodeCIDRMaskSizeIPv4: int32(24),
      NodeCIDRMaskSizeIPv6: int32(64),
    }),
    NodeLifecycleController: block("NodeLifecycleController", {
      NodeEvictionRate: float(0.1),
      SecondaryNodeEvictionRate: float(0.01),
      NodeStartupGracePeriod: duration("1m0s"),
      NodeMonitorGracePeriod: duration("50s"),
      PodEvictionTimeout: duration("5m0s"),
      LargeClusterSizeThreshold: int32(50),
      UnhealthyZoneThreshold: float(0.55),
    }),
    PersistentVolumeBinderController: block("PersistentVolumeBinderController", {
      PVClaimBinderSyncPeriod: duration("15s"),
      VolumeConfiguration: volumes(naming),
    }),
    PodGCController: block("PodGCController", { TerminatedPodGCThreshold: int32(12_500) }),
    ReplicaSetController: block("ReplicaSetController", { ConcurrentRSSyncs: int32(5) }),
    ReplicationController: block("ReplicationController", { ConcurrentRCSyncs: int32(5) }),
    ResourceQuotaController: block("ResourceQuotaController", {
      ResourceQuotaSyncPeriod: duration("5m0s"),
      ConcurrentResourceQuotaSyncs: int32(5),
    }),
    SAController: block("SAController", {
      ServiceAccountKeyFile: text(),
      ConcurrentSATokenSyncs: int32(5),
      RootCAFile: text(),
    }),
    ServiceController: block("ServiceController", { ConcurrentServiceSyncs: int32(1) }),
    TTLAfterFinishedController: block("TTLAfterFinishedController", { ConcurrentTTLSyncs: int32(5) }),
    ValidatingAdmissionPolicyStatusController: block("ValidatingAdmissionPolicyStatusController", {
      ConcurrentPolicySyncs: int32(5),
    }),
  });

/** Every block is there, with its defaults. Durations are texts (`1m0s`). */
export type ControllerManagerConfiguration = ValueOf<ReturnType<typeof controllerManagerShape>>;
