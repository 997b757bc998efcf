/** One control loop of the process. */
export interface Controller {
  /** Works until the signal aborts; settles when nothing of it runs any more. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** A controller, or what it lacks to run. */
export type Made = Controller | { readonly lacks: string };

export const controllerNames = [
  "garbage-collector-controller",
  "namespace-controller",
  "serviceaccount-controller",
  "clusterrole-aggregation-controller",
  "serviceaccount-token-controller",
  "root-ca-certificate-publisher-controller",
  "certificatesigningrequest-approving-controller",
  "certificatesigningrequest-signing-controller",
  "certificatesigningrequest-cleaner-controller",
  "flowschema-status-controller",
  "persistentvolumeclaim-protection-controller",
  "persistentvolume-protection-controller",
  "resourcequota-controller",
  "customresourcedefinition-finalizing-controller",
  "validatingadmissionpolicy-status-controller",
  "storage-version-migrator-controller",
  "replicaset-controller",
  "replicationcontroller-controller",
  "deployment-controller",
  "job-controller",
  "ttl-after-finished-controller",
  "cronjob-controller",
  "daemonset-controller",
  "statefulset-controller",
  "endpointslice-controller",
  "endpoints-controller",
  "endpointslice-mirroring-controller",
  "disruption-controller",
  "node-lifecycle-controller",
  "taint-eviction-controller",
  "pod-garbage-collector-controller",
  "ttl-controller",
  "node-ipam-controller",
  "ephemeral-volume-controller",
  "bootstrap-signer-controller",
  "token-cleaner-controller",
  "horizontal-pod-autoscaler-controller",
  "persistentvolume-binder-controller",
  "legacy-serviceaccount-token-cleaner-controller",
  "resourceclaim-controller",
  "persistentvolume-expander-controller",
  "persistentvolume-attach-detach-controller",
  "service-lb-controller",
  "node-route-controller",
  "cloud-node-lifecycle-controller",
  "volumeattributesclass-protection-controller",
  "storageversion-garbage-collector-controller",
  "service-cidr-controller",
  "selinux-warning-controller",
] as const;

/** Those that speak to a cloud; some of them the controller manager runs as well. */
export const cloudControllerNames = [
  "cloud-node-controller",
  "cloud-node-lifecycle-controller",
  "service-lb-controller",
  "node-route-controller",
] as const;

export type ManagerController = (typeof controllerNames)[number];
export type CloudController = (typeof cloudControllerNames)[number];
export type ControllerName = ManagerController | CloudController;

/** The service account of each, where each has one of its own; undefined for one that never has (`--use-service-account-credentials`). */
export const accountNames: Readonly<Record<ControllerName, string | undefined>> = {
  "garbage-collector-controller": "generic-garbage-collector",
  "namespace-controller": "namespace-controller",
  "serviceaccount-controller": "service-account-controller",
  "clusterrole-aggregation-controller": "clusterrole-aggregation-controller",
  // Who makes the tokens of accounts cannot wait for one of its own: it acts as the process does.
  "serviceaccount-token-controller": undefined,
  "root-ca-certificate-publisher-controller": "root-ca-cert-publisher",
  "certificatesigningrequest-approving-controller": "certificate-controller",
  "certificatesigningrequest-signing-controller": "certificate-controller",
  "certificatesigningrequest-cleaner-controller": "certificate-controller",
  "flowschema-status-controller": "flowschema-status-controller",
  "persistentvolumeclaim-protection-controller": "pvc-protection-controller",
  "persistentvolume-protection-controller": "pv-protection-controller",
  "resourcequota-controller": "resourcequota-controller",
  "customresourcedefinition-finalizing-controller": "customresourcedefinition-finalizing-controller",
  "validatingadmissionpolicy-status-controller": "validatingadmissionpolicy-status-controller",
  "storage-version-migrator-controller": "storage-version-migrator-controller",
  "replicaset-controller": "replicaset-controller",
  "replicationcontroller-controller": "replication-controller",
  "deployment-controller": "deployment-controller",
  "job-controller": "job-controller",
  "ttl-after-finished-controller": "ttl-after-finished-controller",
  "cronjob-controller": "cronjob-controller",
  "daemonset-controller": "daemon-set-controller",
  "statefulset-controller": "statefulset-controller",
  "endpointslice-controller": "endpointslice-controller",
  "endpoints-controller": "endpoint-controller",
  "endpointslice-mirroring-controller": "endpointslicemirroring-controller",
  "disruption-controller": "disruption-controller",
  "node-lifecycle-controller": "node-controller",
  "taint-eviction-controller": "node-controller",
  "pod-garbage-collector-controller": "pod-garbage-collector",
  "ttl-controller": "ttl-controller",
  "node-ipam-controller": "node-controller",
  "ephemeral-volume-controller": "ephemeral-volume-controller",
  "bootstrap-signer-controller": "bootstrap-signer",
  "token-cleaner-controller": "token-cleaner",
  "horizontal-pod-autoscaler-controller": "horizontal-pod-autoscaler",
  "persistentvolume-binder-controller": "persistent-volume-binder",
  "legacy-serviceaccount-token-cleaner-controller": "legacy-service-account-token-cleaner",
  "resourceclaim-controller": "resource-claim-controller",
  "persistentvolume-expander-controller": "expand-controller",
  "persistentvolume-attach-detach-controller": "attachdetach-controller",
  "service-lb-controller": "service-controller",
  "node-route-controller": "route-controller",
  "cloud-node-lifecycle-controller": "node-controller",
  "cloud-node-controller": "node-controller",
  "volumeattributesclass-protection-controller": "volumeattributesclass-protection-controller",
  "storageversion-garbage-collector-controller": "storage-version-garbage-collector",
  "service-cidr-controller": "service-cidrs-controller",
  "selinux-warning-controller": "selinux-warning-controller",
};

/** Older names under which `--controllers` knows them. */
const aliases: Readonly<Partial<Record<ControllerName, string>>> = {
  "garbage-collector-controller": "garbagecollector",
  "namespace-controller": "namespace",
  "serviceaccount-controller": "serviceaccount",
  "clusterrole-aggregation-controller": "clusterrole-aggregation",
  "serviceaccount-token-controller": "serviceaccount-token",
  "root-ca-certificate-publisher-controller": "root-ca-cert-publisher",
  "certificatesigningrequest-approving-controller": "csrapproving",
  "certificatesigningrequest-signing-controller": "csrsigning",
  "certificatesigningrequest-cleaner-controller": "csrcleaner",
  "persistentvolumeclaim-protection-controller": "pvc-protection",
  "persistentvolume-protection-controller": "pv-protection",
  "resourcequota-controller": "resourcequota",
  "storage-version-migrator-controller": "svmc",
  "replicaset-controller": "replicaset",
  "replicationcontroller-controller": "replicationcontroller",
  "deployment-controller": "deployment",
  "job-controller": "job",
  "ttl-after-finished-controller": "ttl-after-finished",
  "cronjob-controller": "cronjob",
  "daemonset-controller": "daemonset",
  "statefulset-controller": "statefulset",
  "endpointslice-controller": "endpointslice",
  "endpoints-controller": "endpoint",
  "endpointslice-mirroring-controller": "endpointslicemirroring",
  "disruption-controller": "disruption",
  "node-lifecycle-controller": "nodelifecycle",
  "pod-garbage-collector-controller": "podgc",
  "ttl-controller": "ttl",
  "node-ipam-controller": "nodeipam",
  "ephemeral-volume-controller": "ephemeral-volume",
  "bootstrap-signer-controller": "bootstrapsigner",
  "token-cleaner-controller": "tokencleaner",
  "horizontal-pod-autoscaler-controller": "horizontalpodautoscaling",
  "persistentvolume-binder-controller": "persistentvolume-binder",
  "legacy-serviceaccount-token-cleaner-controller": "legacy-service-account-token-cleaner",
  "resourceclaim-controller": "resource-claim-controller",
  "persistentvolume-expander-controller": "persistentvolume-expander",
  "persistentvolume-attach-detach-controller": "attachdetach",
  "service-lb-controller": "service",
  "node-route-controller": "route",
  "cloud-node-lifecycle-controller": "cloud-node-lifecycle",
  "cloud-node-controller": "cloud-node",
  "storageversion-garbage-collector-controller": "storage-version-gc",
  "selinux-warning-controller": "selinux-warning",
};

/** Those that `*` leaves out. */
export const offByDefault: ReadonlySet<ControllerName> = new Set([
  "bootstrap-signer-controller",
  "token-cleaner-controller",
  // Known by name, so that what was written for the reference is taken; it says why it does not run.
  "selinux-warning-controller",
]);

export type ChosenControllers<N extends ControllerName> =
  | { readonly ok: true; readonly names: ReadonlySet<N> }
  | { readonly ok: false; readonly problem: string };

/** By its name, or an older one. */
export const isNamed = (name: ControllerName, item: string): boolean => item === name || item === aliases[name];

/** What files of migrations from older releases call them: in those each was `…-controller`. */
export const isCalled = (name: ControllerName, item: string): boolean =>
  isNamed(name, item) || item === `${aliases[name]}-controller`;

/**
 * `--controllers`: `*` is all of them but those that are off by default, `foo` one, `-foo` all but that one beside a `*`;
 * a name may be an alias. The first item that names a controller wins. An empty list is none. `all`: of the program.
 */
export function chooseControllers<N extends ControllerName>(
  items: readonly string[],
  all: readonly N[],
): ChosenControllers<N> {
  for (const item of items) {
    const name = item.replace(/^-/, "");
    if (item === "*" || all.some((known) => isNamed(known, name))) continue;
    const known = all.join(", ");
    return { ok: false, problem: `--controllers: "${name}" is not in the list of known controllers: ${known}` };
  }
  const others = items.includes("*");
  const isOn = (name: N): boolean => {
    const item = items.find((each) => isNamed(name, each.replace(/^-/, "")));
    if (item !== undefined) return !item.startsWith("-");
    return others && !offByDefault.has(name);
  };
  return { ok: true, names: new Set(all.filter(isOn)) };
}
