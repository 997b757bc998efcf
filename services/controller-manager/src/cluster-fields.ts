import { cloudFields } from "./clouds/cloud-flags.js";

/** Which fields of the configuration stand for {@link clusterFlags}. */
export const clusterFields = {
  ...cloudFields,
  "concurrent-service-endpoint-syncs": "EndpointSliceController.ConcurrentServiceEndpointSyncs",
  "max-endpoints-per-slice": "EndpointSliceController.MaxEndpointsPerSlice",
  "endpointslice-updates-batch-period": "EndpointSliceController.EndpointUpdatesBatchPeriod",
  "concurrent-endpoint-syncs": "EndpointController.ConcurrentEndpointSyncs",
  "endpoint-updates-batch-period": "EndpointController.EndpointUpdatesBatchPeriod",
  "mirroring-concurrent-service-endpoint-syncs":
    "EndpointSliceMirroringController.MirroringConcurrentServiceEndpointSyncs",
  "mirroring-max-endpoints-per-subset": "EndpointSliceMirroringController.MirroringMaxEndpointsPerSubset",
  "mirroring-endpointslice-updates-batch-period":
    "EndpointSliceMirroringController.MirroringEndpointUpdatesBatchPeriod",
  "node-monitor-grace-period": "NodeLifecycleController.NodeMonitorGracePeriod",
  "node-startup-grace-period": "NodeLifecycleController.NodeStartupGracePeriod",
  "node-eviction-rate": "NodeLifecycleController.NodeEvictionRate",
  "secondary-node-eviction-rate": "NodeLifecycleController.SecondaryNodeEvictionRate",
  "large-cluster-size-threshold": "NodeLifecycleController.LargeClusterSizeThreshold",
  "unhealthy-zone-threshold": "NodeLifecycleController.UnhealthyZoneThreshold",
  "terminated-pod-gc-threshold": "PodGCController.TerminatedPodGCThreshold",
  "concurrent-ephemeralvolume-syncs": "EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs",
  "pvclaimbinder-sync-period": "PersistentVolumeBinderController.PVClaimBinderSyncPeriod",
  "enable-dynamic-provisioning": "PersistentVolumeBinderController.VolumeConfiguration.EnableDynamicProvisioning",
  "legacy-service-account-token-clean-up-period": "LegacySATokenCleaner.CleanUpPeriod",
  "attach-detach-reconcile-sync-period": "AttachDetachController.ReconcilerSyncLoopPeriod",
  "disable-attach-detach-reconcile-sync": "AttachDetachController.DisableAttachDetachReconcilerSync",
  "disable-force-detach-on-timeout": "AttachDetachController.disableForceDetachOnTimeout",
  "node-cidr-mask-size": "NodeIPAMController.NodeCIDRMaskSize",
  "node-cidr-mask-size-ipv4": "NodeIPAMController.NodeCIDRMaskSizeIPv4",
  "node-cidr-mask-size-ipv6": "NodeIPAMController.NodeCIDRMaskSizeIPv6",
} as const;
