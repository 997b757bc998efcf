/** Whether a plugin runs where no flag says otherwise, as in the reference of release 1.32. */
interface Plugin {
  readonly usual: boolean;
  /** False for what this build knows by name alone. */
  readonly built: boolean;
}

const usual: Plugin = { usual: true, built: true };
const optional: Plugin = { usual: false, built: true };
const usualLater: Plugin = { usual: true, built: false };
const later: Plugin = { usual: false, built: false };

/**
 * Every plugin of the reference, in the order in which they are asked: all that change a new state first, then, once it
 * is valid, all that judge it.
 */
export const pluginNames: ReadonlyMap<string, Plugin> = new Map([
  ["AlwaysAdmit", optional],
  ["NamespaceAutoProvision", later],
  ["NamespaceLifecycle", usual],
  ["NamespaceExists", later],
  ["LimitPodHardAntiAffinityTopology", later],
  ["LimitRanger", usual],
  ["ServiceAccount", usual],
  ["NodeRestriction", optional],
  ["TaintNodesByCondition", usual],
  ["AlwaysPullImages", later],
  ["ImagePolicyWebhook", later],
  ["PodSecurity", usualLater],
  ["PodNodeSelector", later],
  ["Priority", usual],
  ["DefaultTolerationSeconds", usual],
  ["PodTolerationRestriction", later],
  ["EventRateLimit", later],
  ["ExtendedResourceToleration", later],
  ["DefaultStorageClass", usual],
  ["StorageObjectInUseProtection", usual],
  ["OwnerReferencesPermissionEnforcement", later],
  ["PersistentVolumeClaimResize", usual],
  ["RuntimeClass", usual],
  ["CertificateApproval", usual],
  ["CertificateSigning", usual],
  ["ClusterTrustBundleAttest", usualLater],
  ["CertificateSubjectRestriction", usual],
  ["DefaultIngressClass", usual],
  ["DenyServiceExternalIPs", later],
  ["MutatingAdmissionPolicy", later],
  ["MutatingAdmissionWebhook", usualLater],
  ["ValidatingAdmissionPolicy", usualLater],
  ["ValidatingAdmissionWebhook", usualLater],
  ["ResourceQuota", usualLater],
  ["AlwaysDeny", later],
]);
