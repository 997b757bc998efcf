import type { ReplicaSet } from "../replicas/types.js";
import { referenceTo } from "../rim/objects.js";
import { workloadKinds } from "../rim/workload-kinds.js";
import { newestAnnotations, nextRevision } from "./revisions.js";
import { newestSize } from "./scaling.js";
import { templateHash } from "./template-hash.js";
import { type Deployment, type DeploymentKeys, sizeOf, sumOf } from "./types.js";

/** The set for a deployment's template, which none of the others has. */
export function newSet(deployment: Deployment, old: readonly ReplicaSet[], keys: DeploymentKeys) {
  const { metadata, spec = {}, status = {} } = deployment;
  const template = spec.template ?? {};
  const hash = templateHash(template, status.collisionCount);
  const labels = { ...template.metadata?.labels, [keys.hash]: hash };
  const { apiVersion, kind } = workloadKinds.replicaSet;
  return {
    apiVersion,
    kind,
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace ?? "",
      labels,
      annotations: newestAnnotations(deployment, undefined, { revision: nextRevision(old, keys), keys }),
      ownerReferences: [referenceTo(workloadKinds.deployment, deployment)],
    },
    spec: {
      replicas: newestSize(deployment, 0, sumOf(old, sizeOf)),
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector?.matchLabels, [keys.hash]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
