/**
 * The gates of features that come with fields of their own. While a gate is off, its fields are dropped of what is written,
 * unless the stored state has them.
 */
export const fieldGates = [
  "ClusterTrustBundleProjection",
  "CrossNamespaceVolumeDataSource",
  "DynamicResourceAllocation",
  "ImageVolume",
  "InPlacePodVerticalScaling",
  "PodLevelResources",
  "ProcMountType",
  "ResourceHealthStatus",
  "SELinuxChangePolicy",
  "SupplementalGroupsPolicy",
  "UserNamespacesSupport",
  "VolumeAttributesClass",
] as const;
export type FieldGate = (typeof fieldGates)[number];

/** Those that are on. */
export type Features = ReadonlySet<FieldGate>;

export const allFeatures: Features = new Set(fieldGates);
export const noFeatures: Features = new Set();
