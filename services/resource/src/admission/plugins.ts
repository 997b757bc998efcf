import type { Catalog, Kind } from "@orch/api/catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Mirror } from "../mirror.js";
import { rbacEscalation } from "../rbac/escalation.js";
import { builtIn } from "../write/write.js";
import type { AdmissionPlugin } from "./admission.js";
import { certificateApproval, certificateSigning } from "./certificate-signers.js";
import { certificateSubjectRestriction } from "./certificate-subject.js";
import { persistentVolumeClaimResize } from "./claim-resize.js";
import { defaultIngressClass, defaultStorageClass } from "./default-class.js";
import { defaultTolerationSeconds } from "./default-toleration-seconds.js";
import type { TolerationSeconds } from "./flags.js";
import { limitRanger } from "./limit-ranger/limit-ranger.js";
import { namespaceLifecycle } from "./namespace-lifecycle.js";
import { nodeRestriction } from "./node-restriction.js";
import { priority } from "./priority/priority.js";
import { runtimeClass } from "./runtime-class/runtime-class.js";
import { serviceAccountAdmission } from "./service-account.js";
import { storageObjectInUseProtection } from "./storage-in-use.js";
import { taintNodesByCondition } from "./taint-nodes.js";

export interface PluginDeps {
  readonly naming: Naming;
  readonly catalog: Catalog;
  /** Of `plugin-names.ts`. */
  readonly disabled: ReadonlySet<string>;
  readonly tolerationSeconds: TolerationSeconds;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  /** One mirror for each kind that is asked for. */
  readonly mirrorOf: (kind: Kind) => Mirror;
}

/**
 * The plugins that run, in the order in which they are asked, which is that of `plugin-names.ts`. The last one is no
 * plugin of the reference but a rule of its roles: no flag turns it off.
 */
export function admissionPlugins(deps: PluginDeps): readonly AdmissionPlugin[] {
  const { naming, catalog, disabled, tolerationSeconds, pause } = deps;
  const mirror = (apiVersion: string, kind: string): Mirror =>
    deps.mirrorOf(builtIn({ deps: { catalog } }, apiVersion, kind));
  const of = (group: string): string => `${naming.group(group)}/v1`;
  const makers: readonly (readonly [name: string, make: () => AdmissionPlugin])[] = [
    ["NamespaceLifecycle", () => namespaceLifecycle(naming)],
    ["LimitRanger", () => limitRanger(naming, mirror("v1", "LimitRange"))],
    ["ServiceAccount", () => serviceAccountAdmission({ naming, pause })],
    ["NodeRestriction", () => nodeRestriction(naming)],
    ["TaintNodesByCondition", () => taintNodesByCondition(naming)],
    ["Priority", () => priority(naming, mirror(of("scheduling"), "PriorityClass"))],
    ["DefaultTolerationSeconds", () => defaultTolerationSeconds(naming, tolerationSeconds)],
    ["DefaultStorageClass", () => defaultStorageClass(naming, mirror(of("storage"), "StorageClass"))],
    ["StorageObjectInUseProtection", () => storageObjectInUseProtection(naming)],
    ["PersistentVolumeClaimResize", () => persistentVolumeClaimResize(naming)],
    ["RuntimeClass", () => runtimeClass(naming)],
    ["CertificateApproval", () => certificateApproval(naming)],
    ["CertificateSigning", () => certificateSigning(naming)],
    ["CertificateSubjectRestriction", () => certificateSubjectRestriction(naming)],
    ["DefaultIngressClass", () => defaultIngressClass(naming, mirror(of("networking"), "IngressClass"))],
  ];
  return [...makers.flatMap(([name, make]) => (disabled.has(name) ? [] : [make()])), rbacEscalation(naming)];
}
