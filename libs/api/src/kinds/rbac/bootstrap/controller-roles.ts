import type { Naming } from "@orch/naming/naming.js";
import { allow, named, type RulesByRole, read, tellEvents } from "./rules.js";

/** Controllers that only gates bring. */
interface Gated {
  readonly migratesStorage?: boolean;
  readonly claimsDevices?: boolean;
  readonly hasVolumeAttributes?: boolean;
  readonly tracksVersions?: boolean;
  readonly rangesAreObjects?: boolean;
}

/**
 * What each controller of the reference is given, by the name of its service account: also those that others run, which
 * are here so that they can.
 */
export function controllerRules(naming: Naming, gated: Gated = {}): RulesByRole {
  const { migratesStorage = false, claimsDevices = false, hasVolumeAttributes = false, tracksVersions = false } = gated;
  return {
    ...workloadRules(naming),
    ...networkRules(naming),
    ...storageRules(naming),
    ...nodeRules(naming),
    ...clusterRules(naming),
    ...(migratesStorage ? migrationRules(naming) : {}),
    ...(claimsDevices ? deviceRules(naming) : {}),
    ...(hasVolumeAttributes ? attributeRules(naming) : {}),
    ...(tracksVersions ? versionRules(naming) : {}),
    ...(gated.rangesAreObjects === true ? rangeRules(naming) : {}),
    ...ownRules(naming),
  };
}

/** Of controllers that the reference does not have: its server does by itself what they do. */
function ownRules(naming: Naming): RulesByRole {
  const flowControl = naming.group("flowcontrol.apiserver");
  const extensions = naming.group("apiextensions");
  return {
    "flowschema-status-controller": [
      allow(read, "flowschemas prioritylevelconfigurations", flowControl),
      allow("patch", "flowschemas/status", flowControl),
    ],
    "customresourcedefinition-finalizing-controller": [
      allow("get list update watch", "customresourcedefinitions", extensions),
      allow("update", "customresourcedefinitions/status", extensions),
      allow("deletecollection list", "*", "*"),
    ],
  };
}

function workloadRules(naming: Naming): RulesByRole {
  const events = tellEvents(naming);
  const apps = "apps extensions";
  return {
    "cronjob-controller": [
      allow("get list update watch", "cronjobs", "batch"),
      allow("create delete get list patch update watch", "jobs", "batch"),
      allow("update", "cronjobs/status", "batch"),
      allow("update", "cronjobs/finalizers", "batch"),
      allow("delete list watch", "pods"),
      events,
    ],
    "daemon-set-controller": [
      allow(read, "daemonsets", apps),
      allow("update", "daemonsets/status", apps),
      allow("update", "daemonsets/finalizers", apps),
      allow("list watch", "nodes"),
      allow("create delete list patch watch", "pods"),
      allow("create", "pods/binding"),
      allow("create delete get list patch update watch", "controllerrevisions", "apps"),
      events,
    ],
    "deployment-controller": [
      allow("get list update watch", "deployments", apps),
      allow("update", "deployments/status", apps),
      allow("update", "deployments/finalizers", apps),
      allow("create delete get list patch update watch", "replicasets", apps),
      allow("get list update watch", "pods"),
      events,
    ],
    "disruption-controller": [
      allow(read, "deployments", apps),
      allow(read, "replicasets", apps),
      allow(read, "replicationcontrollers"),
      allow(read, "poddisruptionbudgets", "policy"),
      allow(read, "statefulsets", "apps"),
      allow("update", "poddisruptionbudgets/status", "policy"),
      allow("patch update", "pods/status"),
      allow("get", "*/scale", "*"),
      events,
    ],
    "horizontal-pod-autoscaler": [
      allow(read, "horizontalpodautoscalers", "autoscaling"),
      allow("update", "horizontalpodautoscalers/status", "autoscaling"),
      allow("get update", "*/scale", "*"),
      allow("list watch", "pods"),
      allow("list watch", "pods", naming.group("metrics")),
      allow("get list watch", "*", naming.group("custom.metrics")),
      allow("get list watch", "*", naming.group("external.metrics")),
      events,
    ],
    "job-controller": [
      allow("get list patch update watch", "jobs", "batch"),
      allow("update", "jobs/status", "batch"),
      allow("update", "jobs/finalizers", "batch"),
      allow("create delete list patch watch", "pods"),
      events,
    ],
    "pod-garbage-collector": [
      allow("delete list watch", "pods"),
      allow("get list watch", "nodes"),
      allow("patch", "pods/status"),
    ],
    "replicaset-controller": [
      allow("get list update watch", "replicasets", apps),
      allow("update", "replicasets/status", apps),
      allow("update", "replicasets/finalizers", apps),
      allow("create delete list patch watch", "pods"),
      events,
    ],
    "replication-controller": [
      allow("get list update watch", "replicationcontrollers"),
      allow("update", "replicationcontrollers/status"),
      allow("update", "replicationcontrollers/finalizers"),
      allow("create delete list patch watch", "pods"),
      events,
    ],
    "statefulset-controller": [
      allow("list watch", "pods"),
      allow(read, "statefulsets", "apps"),
      allow("update", "statefulsets/status", "apps"),
      allow("update", "statefulsets/finalizers", "apps"),
      allow("create delete get patch update", "pods"),
      allow("create delete get list patch update watch", "controllerrevisions", "apps"),
      allow("create get list watch", "persistentvolumeclaims"),
      events,
      allow("delete update", "persistentvolumeclaims"),
      allow("update", "pods/finalizers"),
    ],
    "ttl-after-finished-controller": [allow("delete get list watch", "jobs", "batch"), events],
  };
}

function networkRules(naming: Naming): RulesByRole {
  const events = tellEvents(naming);
  const slices = allow("create delete get list update watch", "endpointslices", naming.group("discovery"));
  return {
    "endpoint-controller": [
      allow(read, "pods services"),
      allow("create delete get list update watch", "endpoints"),
      allow("create", "endpoints/restricted"),
      events,
    ],
    // A slice holds up the deletion of what owns it, which whoever makes it must be allowed to.
    "endpointslice-controller": [
      allow(read, "nodes pods services"),
      allow("update", "services/finalizers"),
      slices,
      events,
    ],
    "endpointslicemirroring-controller": [
      allow(read, "endpoints services"),
      allow("update", "services/finalizers"),
      allow("update", "endpoints/finalizers"),
      slices,
      events,
    ],
    "route-controller": [allow("list watch", "nodes"), allow("patch", "nodes/status"), events],
    "service-controller": [
      allow(read, "services"),
      allow("patch update", "services/status"),
      allow("list watch", "nodes"),
      events,
    ],
  };
}

function storageRules(naming: Naming): RulesByRole {
  const storage = naming.group("storage");
  const events = tellEvents(naming);
  return {
    "attachdetach-controller": [
      allow("list watch", "persistentvolumeclaims persistentvolumes"),
      allow(read, "nodes"),
      allow("patch update", "nodes/status"),
      allow("list watch", "pods"),
      events,
      allow("create delete get list watch", "volumeattachments", storage),
      allow(read, "csidrivers", storage),
      allow(read, "csinodes", storage),
    ],
    "ephemeral-volume-controller": [
      allow(read, "pods"),
      allow("update", "pods/finalizers"),
      allow("create get list watch", "persistentvolumeclaims"),
      events,
    ],
    "expand-controller": [
      allow("get list patch update watch", "persistentvolumes"),
      allow("patch update", "persistentvolumeclaims/status"),
      allow(read, "persistentvolumeclaims"),
      events,
      allow("get", "services"),
    ],
    "persistent-volume-binder": [
      allow("create delete get list update watch", "persistentvolumes"),
      allow("update", "persistentvolumes/status"),
      allow("get list update watch", "persistentvolumeclaims"),
      allow("update", "persistentvolumeclaims/status"),
      allow("create delete get list watch", "pods"),
      allow(read, "storageclasses", storage),
      allow("list watch", "nodes"),
      events,
      allow("watch", "events"),
      allow("get", "services"),
    ],
    "pv-protection-controller": [allow("get list update watch", "persistentvolumes"), events],
    "pvc-protection-controller": [
      allow("get list update watch", "persistentvolumeclaims"),
      allow(read, "pods"),
      events,
    ],
  };
}

function nodeRules(naming: Naming): RulesByRole {
  const events = tellEvents(naming);
  return {
    "node-controller": [
      allow("delete get list patch update watch", "nodes"),
      allow("patch update", "nodes/status"),
      allow("patch update", "pods/status"),
      allow("delete get list watch", "pods"),
      events,
    ],
    "ttl-controller": [allow("list patch update watch", "nodes"), events],
  };
}

function migrationRules(naming: Naming): RulesByRole {
  return {
    "storage-version-migrator-controller": [
      allow("create list patch watch", "*", "*"),
      allow("update", "storageversionmigrations/status", naming.group("storagemigration")),
    ],
  };
}

function deviceRules(naming: Naming): RulesByRole {
  const devices = naming.group("resource");
  return {
    "resource-claim-controller": [
      allow(read, "pods"),
      allow("update", "pods/finalizers"),
      allow("create delete get list watch", "resourceclaims", devices),
      allow(read, "resourceclaimtemplates", devices),
      allow("patch update", "resourceclaims resourceclaims/status", devices),
      allow("patch update", "pods/status"),
      tellEvents(naming),
    ],
  };
}

function attributeRules(naming: Naming): RulesByRole {
  return {
    "volumeattributesclass-protection-controller": [
      allow(read, "persistentvolumeclaims persistentvolumes"),
      allow("get list update watch", "volumeattributesclasses", naming.group("storage")),
      tellEvents(naming),
    ],
  };
}

function versionRules(naming: Naming): RulesByRole {
  const servers = naming.group("internal.apiserver");
  return {
    "storage-version-garbage-collector": [
      allow(read, "leases", naming.group("coordination")),
      allow("delete get list watch", "storageversions", servers),
      allow("get patch update", "storageversions/status", servers),
    ],
  };
}

function rangeRules(naming: Naming): RulesByRole {
  const networking = naming.group("networking");
  return {
    "service-cidrs-controller": [
      allow("get list patch update watch", "servicecidrs", networking),
      allow("patch update", "servicecidrs/finalizers servicecidrs/status", networking),
      allow(read, "ipaddresses", networking),
      tellEvents(naming),
    ],
  };
}

function clusterRules(naming: Naming): RulesByRole {
  const admission = naming.group("admissionregistration");
  const certificates = naming.group("certificates");
  const events = tellEvents(naming);
  const signers = (names: readonly string[]) => names.map((name) => naming.key(name)).join(" ");
  const kubeletClient = "kube-apiserver-client-kubelet";
  return {
    "certificate-controller": [
      allow("delete get list watch", "certificatesigningrequests", certificates),
      allow("update", "certificatesigningrequests/approval certificatesigningrequests/status", certificates),
      named(signers([kubeletClient]), allow("approve", "signers", certificates)),
      named(
        signers(["kube-apiserver-client", kubeletClient, "kubelet-serving", "legacy-unknown"]),
        allow("sign", "signers", certificates),
      ),
      allow("create", "subjectaccessreviews", naming.group("authorization")),
      events,
    ],
    // It gives roles what it does not have itself.
    "clusterrole-aggregation-controller": [
      allow("escalate get list patch update watch", "clusterroles", naming.group("rbac.authorization")),
    ],
    "generic-garbage-collector": [allow("delete get list patch update watch", "*", "*"), events],
    "legacy-service-account-token-cleaner": [
      named(`${naming.systemName("apiserver")}-legacy-service-account-token-tracking`, allow("get", "configmaps")),
      allow("delete patch", "secrets"),
    ],
    "namespace-controller": [
      allow("delete get list watch", "namespaces"),
      allow("update", "namespaces/finalize namespaces/status"),
      allow("delete deletecollection get list watch", "*", "*"),
    ],
    "resourcequota-controller": [allow("list watch", "*", "*"), allow("update", "resourcequotas/status"), events],
    "root-ca-cert-publisher": [allow("create update", "configmaps"), events],
    "service-account-controller": [allow("create", "serviceaccounts"), events],
    "validatingadmissionpolicy-status-controller": [
      allow(read, "validatingadmissionpolicies", admission),
      allow("get patch update", "validatingadmissionpolicies/status", admission),
      events,
    ],
  };
}
