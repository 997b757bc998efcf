import type { Catalog, Kind } from "@orch/api/catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Mirror } from "../mirror.js";
import { rbacEscalation } from "../rbac/escalation.js";
import { builtIn } from "../write/write.js";
import type { AdmissionPlugin } from "./admission.js";
import { alwaysDeny } from "./always-deny.js";
import { certificateApproval, certificateSigning } from "./certificates/certificate-signers.js";
import { certificateSubjectRestriction } from "./certificates/certificate-subject.js";
import { clusterTrustBundleAttest } from "./certificates/trust-bundle-attest.js";
import { persistentVolumeClaimResize } from "./claim-resize.js";
import { defaultIngressClass, defaultStorageClass } from "./default-class.js";
import { defaultTolerationSeconds } from "./default-toleration-seconds.js";
import { denyServiceExternalIPs } from "./deny-external-ips.js";
import type { Buckets } from "./event-rate-limit/buckets.js";
import { eventRateLimit } from "./event-rate-limit/event-rate-limit.js";
import type { PluginSettings } from "./flags.js";
import { limitRanger } from "./limit-ranger/limit-ranger.js";
import { namespaceLifecycle } from "./namespace-lifecycle.js";
import { namespaceExists } from "./namespaces/namespace-exists.js";
import { nodeRestriction } from "./node-restriction/node-restriction.js";
import { ownerReferencesPermissionEnforcement } from "./owner-references.js";
import { podSecurity } from "./pod-security/pod-security.js";
import { alwaysPullImages } from "./pods/always-pull-images.js";
import { extendedResourceToleration } from "./pods/extended-resource-toleration.js";
import { limitPodHardAntiAffinityTopology } from "./pods/hard-anti-affinity.js";
import { podNodeSelector } from "./pods/pod-node-selector.js";
import { podTolerationRestriction } from "./pods/pod-toleration-restriction.js";
import { priority } from "./priority/priority.js";
import { resourceQuota } from "./quota/resource-quota.js";
import { runtimeClass } from "./runtime-class/runtime-class.js";
import { serviceAccountAdmission } from "./service-account/service-account.js";
import { storageObjectInUseProtection } from "./storage-in-use.js";
import { taintNodesByCondition } from "./taint-nodes.js";

export interface PluginDeps extends PluginSettings {
  readonly naming: Naming;
  readonly catalog: Catalog;
  readonly buckets: Buckets;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  /** Those of others; none where nobody is asked. */
  readonly outside?: ReadonlyMap<string, AdmissionPlugin> | undefined;
  /** One mirror for each kind that is asked for. */
  readonly mirrorOf: (kind: Kind) => Mirror;
}

/**
 * The plugins that run, in the order in which they are asked, which is that of `plugin-names.ts`. The last one is no
 * plugin of the reference but a rule of its roles: no flag turns it off.
 */
export function admissionPlugins(deps: PluginDeps): readonly AdmissionPlugin[] {
  const { naming, catalog, disabled, tolerationSeconds, configurations, buckets, pause } = deps;
  const mirror = (apiVersion: string, kind: string): Mirror =>
    deps.mirrorOf(builtIn({ deps: { catalog } }, apiVersion, kind));
  const of = (group: string): string => `${naming.group(group)}/v1`;
  const namespaces = (): Mirror => mirror("v1", "Namespace");
  const quotas = (): Mirror => mirror("v1", "ResourceQuota");
  const ofOthers = (name: string): readonly AdmissionPlugin[] => {
    const plugin = deps.outside?.get(name);
    return plugin === undefined ? [] : [plugin];
  };
  const podStandards = configurations.podSecurity;
  const makers: readonly (readonly [name: string, make: () => AdmissionPlugin | readonly AdmissionPlugin[]])[] = [
    ["NamespaceLifecycle", () => namespaceLifecycle(naming)],
    ["NamespaceExists", () => namespaceExists(namespaces())],
    ["LimitPodHardAntiAffinityTopology", () => limitPodHardAntiAffinityTopology(naming)],
    ["LimitRanger", () => limitRanger(naming, mirror("v1", "LimitRange"))],
    ["ServiceAccount", () => serviceAccountAdmission({ naming, pause })],
    ["NodeRestriction", () => nodeRestriction(naming)],
    ["TaintNodesByCondition", () => taintNodesByCondition(naming)],
    ["AlwaysPullImages", alwaysPullImages],
    ["ImagePolicyWebhook", () => ofOthers("ImagePolicyWebhook")],
    ["PodSecurity", () => podSecurity({ naming, namespaces: namespaces(), configuration: podStandards })],
    ["PodNodeSelector", () => podNodeSelector(naming, namespaces(), configurations.podNodeSelector)],
    ["Priority", () => priority(naming, mirror(of("scheduling"), "PriorityClass"))],
    ["DefaultTolerationSeconds", () => defaultTolerationSeconds(naming, tolerationSeconds)],
    ["PodTolerationRestriction", () => podTolerationRestriction(naming, namespaces(), configurations.podTolerations)],
    ["EventRateLimit", () => eventRateLimit(naming, configurations.eventRateLimit.limits, buckets)],
    ["ExtendedResourceToleration", () => extendedResourceToleration(naming)],
    ["DefaultStorageClass", () => defaultStorageClass(naming, mirror(of("storage"), "StorageClass"))],
    ["StorageObjectInUseProtection", () => storageObjectInUseProtection(naming)],
    ["OwnerReferencesPermissionEnforcement", ownerReferencesPermissionEnforcement],
    ["PersistentVolumeClaimResize", () => persistentVolumeClaimResize(naming)],
    ["RuntimeClass", () => runtimeClass(naming)],
    ["CertificateApproval", () => certificateApproval(naming)],
    ["CertificateSigning", () => certificateSigning(naming)],
    ["ClusterTrustBundleAttest", () => clusterTrustBundleAttest(naming)],
    ["CertificateSubjectRestriction", () => certificateSubjectRestriction(naming)],
    ["DefaultIngressClass", () => defaultIngressClass(naming, mirror(of("networking"), "IngressClass"))],
    ["DenyServiceExternalIPs", denyServiceExternalIPs],
    ["MutatingAdmissionWebhook", () => ofOthers("MutatingAdmissionWebhook")],
    ["ValidatingAdmissionPolicy", () => ofOthers("ValidatingAdmissionPolicy")],
    ["ValidatingAdmissionWebhook", () => ofOthers("ValidatingAdmissionWebhook")],
    ["ResourceQuota", () => resourceQuota({ naming, quotas: quotas(), configuration: configurations.resourceQuota })],
    ["AlwaysDeny", alwaysDeny],
  ];
  return [...makers.flatMap(([name, make]) => (disabled.has(name) ? [] : make())), rbacEscalation(naming)];
}
