/** How far a feature is, from the release `since` on (rules: Feature gate lifecycle). */
export interface GateStage {
  readonly since: string;
  readonly stage: "ALPHA" | "BETA" | "GA" | "DEPRECATED" | "REMOVED";
  readonly default: boolean;
  /** Non-operational: no other value can be set. */
  readonly locked: boolean;
}

const alpha = (since: string): GateStage => ({ since, stage: "ALPHA", default: false, locked: false });
const beta = (since: string, by: "on" | "off" = "on"): GateStage => ({
  since,
  stage: "BETA",
  default: by === "on",
  locked: false,
});
const ga = (since: string): GateStage => ({ since, stage: "GA", default: true, locked: true });
const deprecated = (since: string, by: "on" | "off", lock?: "locked"): GateStage => ({
  since,
  stage: "DEPRECATED",
  default: by === "on",
  locked: lock === "locked",
});
/** After general availability: the feature stays on, its gate is unknown. */
const removed = (since: string): GateStage => ({ since, stage: "REMOVED", default: true, locked: true });

/**
 * The gates of features that an API server serves, defaults, validates or drops fields by; those of other
 * components and of the reference's inner workings are not known here. Stages in order of release.
 */
export const gateList = {
  AdmissionWebhookMatchConditions: [alpha("1.27"), beta("1.28"), ga("1.30")],
  AdvancedAuditing: [ga("1.12"), removed("1.28")],
  AggregatedDiscoveryEndpoint: [alpha("1.26"), beta("1.27"), ga("1.30")],
  AllowServiceLBStatusOnNonLB: [deprecated("1.29", "off"), deprecated("1.32", "off", "locked")],
  AllowUnsafeMalformedObjectDeletion: [alpha("1.32")],
  AnonymousAuthConfigurableEndpoints: [alpha("1.31"), beta("1.32")],
  AnyVolumeDataSource: [alpha("1.18"), beta("1.24")],
  APIListChunking: [alpha("1.8"), beta("1.9"), ga("1.29")],
  APIPriorityAndFairness: [alpha("1.17"), beta("1.20"), ga("1.29"), removed("1.31")],
  APIResponseCompression: [alpha("1.8"), beta("1.16")],
  APIServerIdentity: [alpha("1.20"), beta("1.26")],
  APIServerTracing: [alpha("1.22"), beta("1.27")],
  AppArmorFields: [beta("1.30"), ga("1.31")],
  AuthorizeNodeWithSelectors: [alpha("1.31"), beta("1.32")],
  AuthorizeWithSelectors: [alpha("1.31"), beta("1.32")],
  CBORServingAndStorage: [alpha("1.32")],
  ClusterTrustBundle: [alpha("1.27")],
  ClusterTrustBundleProjection: [alpha("1.29")],
  ConsistentListFromCache: [alpha("1.28"), beta("1.31")],
  CoordinatedLeaderElection: [alpha("1.31")],
  CRDValidationRatcheting: [alpha("1.28"), beta("1.30")],
  CrossNamespaceVolumeDataSource: [alpha("1.26")],
  CustomResourceFieldSelectors: [alpha("1.30"), beta("1.31"), ga("1.32")],
  CustomResourceValidationExpressions: [alpha("1.23"), beta("1.25"), ga("1.29"), removed("1.31")],
  DisableAllocatorDualWrite: [alpha("1.31")],
  DRAAdminAccess: [alpha("1.32")],
  DRAResourceClaimDeviceStatus: [alpha("1.32")],
  DryRun: [alpha("1.12"), beta("1.13"), ga("1.19"), removed("1.28")],
  DynamicResourceAllocation: [alpha("1.26"), beta("1.32", "off")],
  EfficientWatchResumption: [alpha("1.20"), beta("1.21"), ga("1.24")],
  ElasticIndexedJob: [beta("1.27"), ga("1.31")],
  ExternalServiceAccountTokenSigner: [alpha("1.32")],
  HPAScaleToZero: [alpha("1.16")],
  ImageVolume: [alpha("1.31")],
  InPlacePodVerticalScaling: [alpha("1.27")],
  InPlacePodVerticalScalingAllocatedStatus: [alpha("1.32")],
  JobBackoffLimitPerIndex: [alpha("1.28"), beta("1.29")],
  JobManagedBy: [alpha("1.30"), beta("1.32")],
  JobPodFailurePolicy: [alpha("1.25"), beta("1.26"), ga("1.31")],
  JobPodReplacementPolicy: [alpha("1.28"), beta("1.29")],
  JobSuccessPolicy: [alpha("1.30"), beta("1.31")],
  KMSv1: [deprecated("1.28", "on"), deprecated("1.29", "off")],
  KMSv2: [alpha("1.25"), beta("1.27"), ga("1.29"), removed("1.32")],
  KMSv2KDF: [beta("1.28", "off"), ga("1.29"), removed("1.32")],
  KubeletFineGrainedAuthz: [alpha("1.32")],
  LoadBalancerIPMode: [alpha("1.29"), beta("1.30"), ga("1.32")],
  MatchLabelKeysInPodAffinity: [alpha("1.29"), beta("1.31")],
  MatchLabelKeysInPodTopologySpread: [alpha("1.25"), beta("1.27")],
  MaxUnavailableStatefulSet: [alpha("1.24")],
  MultiCIDRServiceAllocator: [alpha("1.27"), beta("1.31", "off")],
  MutatingAdmissionPolicy: [alpha("1.32")],
  NodeInclusionPolicyInPodTopologySpread: [alpha("1.25"), beta("1.26")],
  OpenAPIEnums: [alpha("1.23"), beta("1.24")],
  OpenAPIV3: [alpha("1.23"), beta("1.24"), ga("1.27"), removed("1.29")],
  PDBUnhealthyPodEvictionPolicy: [alpha("1.26"), beta("1.27"), ga("1.31")],
  PersistentVolumeLastPhaseTransitionTime: [alpha("1.28"), beta("1.29"), ga("1.31")],
  PodDeletionCost: [alpha("1.21"), beta("1.22")],
  PodDisruptionConditions: [alpha("1.25"), beta("1.26"), ga("1.31")],
  PodLevelResources: [alpha("1.32")],
  PodLifecycleSleepAction: [alpha("1.29"), beta("1.30")],
  PodLifecycleSleepActionAllowZero: [alpha("1.32")],
  PodLogsQuerySplitStreams: [alpha("1.32")],
  PodSchedulingReadiness: [alpha("1.26"), beta("1.27"), ga("1.30")],
  PortForwardWebsockets: [alpha("1.30"), beta("1.31")],
  ProcMountType: [alpha("1.12"), beta("1.31", "off")],
  RecoverVolumeExpansionFailure: [alpha("1.23"), beta("1.32")],
  RecursiveReadOnlyMounts: [alpha("1.30"), beta("1.31")],
  RelaxedDNSSearchValidation: [alpha("1.32")],
  RelaxedEnvironmentVariableValidation: [alpha("1.30"), beta("1.32")],
  RemainingItemCount: [alpha("1.15"), beta("1.16"), ga("1.29")],
  RemoteRequestHeaderUID: [alpha("1.32")],
  RemoveSelfLink: [alpha("1.16"), beta("1.20"), ga("1.24"), removed("1.30")],
  ResourceHealthStatus: [alpha("1.31")],
  RetryGenerateName: [alpha("1.30"), beta("1.31"), ga("1.32")],
  SELinuxChangePolicy: [alpha("1.32")],
  SELinuxMount: [alpha("1.30")],
  SELinuxMountReadWriteOncePod: [alpha("1.25"), beta("1.27", "off"), beta("1.28")],
  ServerSideApply: [alpha("1.14"), beta("1.16"), ga("1.22"), removed("1.32")],
  ServerSideFieldValidation: [alpha("1.23"), beta("1.25"), ga("1.27"), removed("1.32")],
  ServiceAccountNodeAudienceRestriction: [beta("1.32")],
  ServiceAccountTokenJTI: [alpha("1.29"), beta("1.30"), ga("1.32")],
  ServiceAccountTokenNodeBinding: [alpha("1.29"), beta("1.31")],
  ServiceAccountTokenNodeBindingValidation: [alpha("1.29"), beta("1.30"), ga("1.32")],
  ServiceAccountTokenPodNodeInfo: [alpha("1.29"), beta("1.30"), ga("1.32")],
  ServiceTrafficDistribution: [alpha("1.30"), beta("1.31")],
  SidecarContainers: [alpha("1.28"), beta("1.29")],
  StatefulSetAutoDeletePVC: [alpha("1.23"), beta("1.27"), ga("1.32")],
  StatefulSetStartOrdinal: [alpha("1.26"), beta("1.27"), ga("1.31")],
  StorageVersionAPI: [alpha("1.20")],
  StorageVersionHash: [alpha("1.14"), beta("1.15")],
  StorageVersionMigrator: [alpha("1.30")],
  StrictCostEnforcementForVAP: [beta("1.30", "off"), ga("1.32")],
  StrictCostEnforcementForWebhooks: [beta("1.30", "off"), ga("1.32")],
  StructuredAuthenticationConfiguration: [alpha("1.29"), beta("1.30")],
  StructuredAuthorizationConfiguration: [alpha("1.29"), beta("1.30"), ga("1.32")],
  SupplementalGroupsPolicy: [alpha("1.31")],
  TopologyAwareHints: [alpha("1.21"), beta("1.23", "off"), beta("1.24")],
  TranslateStreamCloseWebsocketRequests: [alpha("1.29"), beta("1.30")],
  UnknownVersionInteroperabilityProxy: [alpha("1.28")],
  UserNamespacesPodSecurityStandards: [alpha("1.29")],
  UserNamespacesSupport: [alpha("1.25"), beta("1.30", "off")],
  ValidatingAdmissionPolicy: [alpha("1.26"), beta("1.28", "off"), ga("1.30"), removed("1.32")],
  VolumeAttributesClass: [alpha("1.29"), beta("1.31", "off")],
  WarningHeaders: [beta("1.19"), ga("1.22"), removed("1.24")],
  WatchBookmark: [alpha("1.15"), beta("1.16"), ga("1.17")],
  WatchList: [alpha("1.27"), beta("1.32")],
  ZeroLimitedNominalConcurrencyShares: [beta("1.29", "off"), ga("1.30"), removed("1.32")],
} as const satisfies Readonly<Record<string, readonly GateStage[]>>;

export type GateName = keyof typeof gateList;

/** The gates that switch something here; a house rule holds them against the sources that ask for a gate. */
const actingGates: ReadonlySet<string> = new Set<GateName>([
  "AggregatedDiscoveryEndpoint",
  "APIResponseCompression",
  "APIServerIdentity",
  "CBORServingAndStorage",
  "DynamicResourceAllocation",
  "InPlacePodVerticalScaling",
  "KMSv1",
  "MultiCIDRServiceAllocator",
  "MutatingAdmissionPolicy",
  "PodLogsQuerySplitStreams",
  "StorageVersionAPI",
  "StorageVersionHash",
  "StorageVersionMigrator",
  "VolumeAttributesClass",
  "WatchList",
]);

/** Whether a gate does more than to be known. */
export const isActing = (name: string): boolean => actingGates.has(name);
