/** Whether a plugin runs where no flag says otherwise, as in the reference of release 1.32. */
interface Plugin {
  readonly usual: boolean;
}

const usual: Plugin = { usual: true };
const optional: Plugin = { usual: false };

/**
 * Every plugin of the reference, in the order in which they are asked: all that change a new state first, then, once it
 * is valid, all that judge it.
 */
export const pluginNames: ReadonlyMap<string, Plugin> = new Map([
  ["AlwaysAdmit", optional],
  ["NamespaceAutoProvision", optional],
  ["NamespaceLifecycle", usual],
  ["NamespaceExists", optional],
  ["LimitPodHardAntiAffinityTopology", optional],
  ["LimitRanger", usual],
  ["ServiceAccount", usual],
  ["NodeRestriction", optional],
  ["TaintNodesByCondition", usual],
  ["AlwaysPullImages", optional],
  ["ImagePolicyWebhook", optional],
  ["PodSecurity", usual],
  ["PodNodeSelector", optional],
  ["Priority", usual],
  ["DefaultTolerationSeconds", usual],
  ["PodTolerationRestriction", optional],
  ["EventRateLimit", optional],
  ["ExtendedResourceToleration", optional],
  ["DefaultStorageClass", usual],
  ["StorageObjectInUseProtection", usual],
  ["OwnerReferencesPermissionEnforcement", optional],
  ["PersistentVolumeClaimResize", usual],
  ["RuntimeClass", usual],
  ["CertificateApproval", usual],
  ["CertificateSigning", usual],
  ["ClusterTrustBundleAttest", usual],
  ["CertificateSubjectRestriction", usual],
  ["DefaultIngressClass", usual],
  ["DenyServiceExternalIPs", optional],
  ["MutatingAdmissionPolicy", usual],
  ["MutatingAdmissionWebhook", usual],
  ["ValidatingAdmissionPolicy", usual],
  ["ValidatingAdmissionWebhook", usual],
  ["ResourceQuota", usual],
  ["AlwaysDeny", optional],
]);

/** What runs only where a flag says so. */
export const usuallyOff: ReadonlySet<string> = new Set(
  [...pluginNames].flatMap(([name, plugin]) => (plugin.usual ? [] : name)),
);
