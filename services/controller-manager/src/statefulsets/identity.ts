import { isRecord } from "@orch/client/objects.js";
import { revisionLabel } from "../rim/history.js";
import { referenceTo } from "../rim/objects.js";
import { type PodTemplate, podOfTemplate } from "../rim/pod-control.js";
import type { Pod } from "../rim/pods.js";
import { workloadKinds } from "../rim/workload-kinds.js";
import type { ClaimTemplate, StatefulSet, StatefulSetKeys } from "./types.js";

/** `web-3` of `web` is 3; undefined for a pod of another name. */
export function ordinalOf(pod: Pod, { metadata }: StatefulSet): number | undefined {
  const prefix = `${metadata.name}-`;
  const { name = "" } = pod.metadata;
  const text = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^(0|[1-9][0-9]{0,9})$/.test(text) ? Number(text) : undefined;
}

export const podNameOf = ({ metadata }: StatefulSet, ordinal: number): string => `${metadata.name}-${ordinal}`;

export function claimNameOf(set: StatefulSet, { metadata }: ClaimTemplate, ordinal: number): string {
  return `${metadata?.name}-${podNameOf(set, ordinal)}`;
}

export interface Making {
  readonly ordinal: number;
  /** The revision and its template. */
  readonly revision: string;
  readonly template: PodTemplate;
  readonly keys: StatefulSetKeys;
}

/** A pod that is known by its name, on the network and by its claims, whatever node it is on. */
export function podOf(set: StatefulSet, { ordinal, revision, template, keys }: Making) {
  const pod = podOfTemplate(template, set, workloadKinds.statefulSet);
  const name = podNameOf(set, ordinal);
  const { metadata } = pod;
  const claims = (set.spec?.volumeClaimTemplates ?? []).map((claim) => ({
    name: claim.metadata?.name ?? "",
    persistentVolumeClaim: { claimName: claimNameOf(set, claim, ordinal), readOnly: false },
  }));
  const named = new Set(claims.map((claim) => claim.name));
  const given: readonly unknown[] = Array.isArray(pod.spec["volumes"]) ? pod.spec["volumes"] : [];
  const others = given.filter((volume) => !(isRecord(volume) && named.has(String(volume["name"]))));
  const volumes = [...claims, ...others];
  const labels = {
    ...metadata.labels,
    [keys.podName]: name,
    [keys.podIndex]: String(ordinal),
    [revisionLabel]: revision,
  };
  return {
    ...pod,
    metadata: { ...metadata, name, labels },
    spec: {
      ...pod.spec,
      ...{ hostname: name, subdomain: set.spec?.serviceName ?? "" },
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  };
}

/** The claims that a pod holds; they stay when it goes, unless the set says otherwise. */
export function claimsOf(set: StatefulSet, ordinal: number) {
  const { selector, volumeClaimTemplates = [], persistentVolumeClaimRetentionPolicy: policy } = set.spec ?? {};
  return volumeClaimTemplates.map((claim) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: claimNameOf(set, claim, ordinal),
      namespace: set.metadata.namespace ?? "",
      labels: { ...claim.metadata?.labels, ...selector?.matchLabels },
      ...(claim.metadata?.annotations === undefined ? {} : { annotations: claim.metadata.annotations }),
      ...(policy?.whenDeleted === "Delete" ? { ownerReferences: [referenceTo(workloadKinds.statefulSet, set)] } : {}),
    },
    spec: claim.spec ?? {},
  }));
}
