import type { Naming } from "@orch/naming/naming.js";
import { allow, named, type RulesByRole, read, readUpdate, readWrite, tellEvents } from "./rules.js";

/** What the cluster's own parts are given, and roles for parts that others run. */
export function componentRules(
  naming: Naming,
  { claimsDevices = false }: { readonly claimsDevices?: boolean } = {},
): RulesByRole {
  const storage = naming.group("storage");
  const events = tellEvents(naming);
  return {
    ...certificateRules(naming),
    "system:auth-delegator": delegating(naming),
    "system:heapster": [allow(read, "events namespaces nodes pods"), allow(read, "deployments", "extensions")],
    [part(naming, "aggregator")]: [allow(read, "endpoints services")],
    [part(naming, "controller-manager")]: controllerManagerRules(naming),
    [part(naming, "dns")]: [allow("list watch", "endpoints services")],
    [part(naming, "scheduler")]: [...schedulerRules(naming), ...(claimsDevices ? deviceRules(naming) : [])],
    "system:kubelet-api-admin": [
      allow(read, "nodes"),
      allow("proxy", "nodes"),
      allow("*", "nodes/log nodes/metrics nodes/proxy nodes/stats"),
    ],
    "system:node": nodeRules(naming),
    "system:node-bootstrapper": [
      allow("create get list watch", "certificatesigningrequests", naming.group("certificates")),
    ],
    "system:node-problem-detector": [allow("get", "nodes"), allow("patch", "nodes/status"), events],
    "system:node-proxier": [
      allow("list watch", "endpoints services"),
      allow(read, "nodes"),
      events,
      allow("list watch", "endpointslices", naming.group("discovery")),
    ],
    "system:persistent-volume-provisioner": [
      allow("create delete get list watch", "persistentvolumes"),
      allow("get list update watch", "persistentvolumeclaims"),
      allow(read, "storageclasses", storage),
      allow("watch", "events"),
      events,
    ],
    "system:volume-scheduler": [
      allow(readUpdate, "persistentvolumes"),
      allow(read, "storageclasses", storage),
      allow(readUpdate, "persistentvolumeclaims"),
    ],
  };
}

/** The user, and the role, of one of the system's own parts. */
export function part(naming: Naming, name: string): string {
  return `system:${naming.systemName(name)}`;
}

/** To ask the server who somebody is and what they may do. */
function delegating(naming: Naming): RulesByRole[string] {
  return [
    allow("create", "tokenreviews", naming.group("authentication")),
    allow("create", "subjectaccessreviews", naming.group("authorization")),
  ];
}

/** To approve certificates of the signers that everybody knows. */
function certificateRules(naming: Naming): RulesByRole {
  const group = naming.group("certificates");
  const approver = (signer: string) => [named(naming.key(signer), allow("approve", "signers", group))];
  const creator = (kind: string) => [allow("create", `certificatesigningrequests/${kind}`, group)];
  return {
    [`system:${group}:certificatesigningrequests:nodeclient`]: creator("nodeclient"),
    [`system:${group}:certificatesigningrequests:selfnodeclient`]: creator("selfnodeclient"),
    [`system:${group}:kube-apiserver-client-approver`]: approver("kube-apiserver-client"),
    [`system:${group}:kube-apiserver-client-kubelet-approver`]: approver("kube-apiserver-client-kubelet"),
    [`system:${group}:kubelet-serving-approver`]: approver("kubelet-serving"),
    [`system:${group}:legacy-unknown-approver`]: approver("legacy-unknown"),
  };
}

function controllerManagerRules(naming: Naming): RulesByRole[string] {
  const coordination = naming.group("coordination");
  return [
    tellEvents(naming),
    allow("create", "leases", coordination),
    named(naming.systemName("controller-manager"), allow("get update", "leases", coordination)),
    allow("create", "secrets serviceaccounts"),
    allow("delete", "secrets"),
    allow("get", "configmaps namespaces secrets serviceaccounts"),
    allow("update", "secrets serviceaccounts"),
    ...delegating(naming),
    // Its controllers share what they watch.
    allow("list watch", "*", "*"),
    allow("create", "serviceaccounts/token"),
  ];
}

function schedulerRules(naming: Naming): RulesByRole[string] {
  const coordination = naming.group("coordination");
  const storage = naming.group("storage");
  return [
    tellEvents(naming),
    allow("create", "leases", coordination),
    named(naming.systemName("scheduler"), allow("get list update watch", "leases", coordination)),
    allow(readWrite, "leasecandidates", coordination),
    allow(read, "nodes"),
    allow("delete get list watch", "pods"),
    allow("create", "bindings pods/binding"),
    allow("patch update", "pods/status"),
    allow(read, "replicationcontrollers services"),
    allow(read, "replicasets", "apps extensions"),
    allow(read, "statefulsets", "apps"),
    allow(read, "poddisruptionbudgets", "policy"),
    allow(read, "persistentvolumeclaims persistentvolumes"),
    ...delegating(naming),
    allow(read, "csinodes", storage),
    allow(read, "volumeattachments", storage),
    allow(read, "namespaces"),
    allow(read, "csidrivers", storage),
    allow(read, "csistoragecapacities", storage),
  ];
}

/** Of the scheduler, which gives claims their devices. */
function deviceRules(naming: Naming): RulesByRole[string] {
  const group = naming.group("resource");
  return [
    allow(read, "deviceclasses resourceslices", group),
    allow(readUpdate, "resourceclaims", group),
    allow("patch update", "resourceclaims/status", group),
  ];
}

/** At most: the authorizer of nodes, and their admission, leave a node what has to do with itself. */
function nodeRules(naming: Naming): RulesByRole[string] {
  const storage = naming.group("storage");
  return [
    allow("create", "tokenreviews", naming.group("authentication")),
    allow("create", "localsubjectaccessreviews subjectaccessreviews", naming.group("authorization")),
    allow(read, "services"),
    allow("create get list watch", "nodes"),
    allow("patch update", "nodes/status"),
    allow("patch update", "nodes"),
    allow("create patch update", "events"),
    allow(read, "pods"),
    // Mirrors of the pods that stand in its own files.
    allow("create delete", "pods"),
    allow("patch update", "pods/status"),
    allow("create", "pods/eviction"),
    allow(read, "configmaps secrets"),
    allow("get", "persistentvolumeclaims persistentvolumes"),
    allow("get", "endpoints"),
    allow("create get list watch", "certificatesigningrequests", naming.group("certificates")),
    allow("create delete get patch update", "leases", naming.group("coordination")),
    allow("get", "volumeattachments", storage),
    allow("create", "serviceaccounts/token"),
    allow("get patch update", "persistentvolumeclaims/status"),
    allow(read, "csidrivers", storage),
    allow("create delete get patch update", "csinodes", storage),
    allow(read, "runtimeclasses", naming.group("node")),
  ];
}
