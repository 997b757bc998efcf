import type { Naming } from "@orch/naming/naming.js";
import { allow, allowPaths, type RulesByRole, read, readWrite, write } from "./rules.js";

const health = "/healthz /livez /readyz";
const version = "/version /version/";

/** What people, and everybody who knows the server's address, are given. */
export function userRules(naming: Naming): RulesByRole {
  const authorization = naming.group("authorization");
  return {
    "cluster-admin": [allow("*", "*", "*"), allowPaths("*", "*")],
    "system:basic-user": [
      allow("create", "selfsubjectaccessreviews selfsubjectrulesreviews", authorization),
      allow("create", "selfsubjectreviews", naming.group("authentication")),
    ],
    "system:discovery": [allowPaths("get", `${health} ${version} /api /api/* /apis /apis/* /openapi /openapi/*`)],
    "system:monitoring": [allowPaths("get", `${health} /healthz/* /livez/* /readyz/* /metrics /metrics/slis`)],
    "system:public-info-viewer": [allowPaths("get", `${health} ${version}`)],
    // Clients made of older documents ask with a slash at the end.
    "system:service-account-issuer-discovery": [
      allowPaths(
        "get",
        "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/",
      ),
    ],
  };
}

/** Who views, edits and administers a namespace: each is given what the one before is, and more. */
export const namespaceUsers = ["view", "edit", "admin"] as const;
export type NamespaceUser = (typeof namespaceUsers)[number];

/** What each of them is given by itself. */
export function namespaceUserRules(naming: Naming): Readonly<Record<NamespaceUser, RulesByRole[string]>> {
  return {
    admin: [
      allow("create", "localsubjectaccessreviews", naming.group("authorization")),
      allow(readWrite, "roles rolebindings", naming.group("rbac.authorization")),
    ],
    edit: editRules(naming),
    view: viewRules(naming),
  };
}

/** Neither who may do what, nor what rations a namespace: quotas, limits, any status. */
function editRules(naming: Naming): RulesByRole[string] {
  // Who reads these can be somebody else.
  const reachingPods = "pods/attach pods/exec pods/portforward pods/proxy";
  return [
    allow(read, `${reachingPods} secrets services/proxy`),
    allow("impersonate", "serviceaccounts"),
    allow(write, `pods ${reachingPods}`),
    allow("create", "pods/eviction"),
    allow(
      write,
      "configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
    ),
    allow("create", "serviceaccounts/token"),
    allow(
      write,
      "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale",
      "apps",
    ),
    allow(write, "horizontalpodautoscalers", "autoscaling"),
    allow(write, "cronjobs jobs", "batch"),
    allow(
      write,
      "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale",
      "extensions",
    ),
    allow(write, "poddisruptionbudgets", "policy"),
    allow(write, "ingresses networkpolicies", naming.group("networking")),
    allow(readWrite, "leases", naming.group("coordination")),
  ];
}

/** Nothing that makes its reader somebody else: no secrets. */
function viewRules(naming: Naming): RulesByRole[string] {
  return [
    allow(
      read,
      "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status",
    ),
    allow(
      read,
      "bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status",
    ),
    // In a namespace: that namespace.
    allow(read, "namespaces"),
    allow(read, "endpointslices", naming.group("discovery")),
    allow(
      read,
      "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
      "apps",
    ),
    allow(read, "horizontalpodautoscalers horizontalpodautoscalers/status", "autoscaling"),
    allow(read, "cronjobs cronjobs/status jobs jobs/status", "batch"),
    allow(
      read,
      "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
      "extensions",
    ),
    allow(read, "poddisruptionbudgets poddisruptionbudgets/status", "policy"),
    allow(read, "ingresses ingresses/status networkpolicies", naming.group("networking")),
  ];
}
