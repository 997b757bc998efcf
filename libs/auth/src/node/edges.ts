import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";

/** What a node may have to do with. */
export type RefKind =
  | "pod"
  | "secret"
  | "configMap"
  | "claim"
  | "volume"
  | "resourceClaim"
  | "serviceAccount"
  | "attachment"
  | "slice";

/** An object, by its kind, namespace and name: `secret/team-a/tls`. A namespace has no slash, so that no two are the same. */
export const refOf = (kind: RefKind, namespace: string, name: string): string => `${kind}/${namespace}/${name}`;

/** What the node of a pod may have to do with because of it, the pod among it. */
export interface PodEdges {
  readonly node: string;
  readonly refs: readonly string[];
}

/** What whoever has to do with a volume's claim may have to do with. */
export interface VolumeEdges {
  readonly claim: string;
  readonly secrets: readonly string[];
}

const containerLists = ["spec.initContainers", "spec.containers", "spec.ephemeralContainers"];

/** Where a volume of a pod names a secret of the pod's namespace. */
const volumeSecrets = [
  "azureFile.secretName",
  "cephfs.secretRef.name",
  "cinder.secretRef.name",
  "csi.nodePublishSecretRef.name",
  "flexVolume.secretRef.name",
  "iscsi.secretRef.name",
  "rbd.secretRef.name",
  "scaleIO.secretRef.name",
  "secret.secretName",
  "storageos.secretRef.name",
];

/** Undefined where the pod is on no node. */
export function podEdges(pod: AnyObject, naming: Naming): PodEdges | undefined {
  const { namespace = "", name: podName = "" } = pod.metadata;
  const node = textAt(pod, "spec.nodeName");
  if (node === "") return undefined;
  const own = refOf("pod", namespace, podName);
  // A node makes its mirror pods itself: what such a pod names must give it nothing.
  if (pod.metadata.annotations?.[naming.key("config.mirror")] !== undefined) return { node, refs: [own] };
  const refs = new Set([own]);
  const add = (kind: RefKind, from: object, path: string): void => {
    const name = textAt(from, path);
    if (name !== "") refs.add(refOf(kind, namespace, name));
  };
  add("serviceAccount", pod, "spec.serviceAccountName");
  for (const reference of listAt(pod, "spec.imagePullSecrets")) add("secret", reference, "name");
  for (const container of containerLists.flatMap((path) => listAt(pod, path))) {
    for (const source of listAt(container, "envFrom")) {
      add("secret", source, "secretRef.name");
      add("configMap", source, "configMapRef.name");
    }
    for (const variable of listAt(container, "env")) {
      add("secret", variable, "valueFrom.secretKeyRef.name");
      add("configMap", variable, "valueFrom.configMapKeyRef.name");
    }
  }
  for (const volume of listAt(pod, "spec.volumes")) {
    for (const path of volumeSecrets) add("secret", volume, path);
    add("configMap", volume, "configMap.name");
    for (const source of listAt(volume, "projected.sources")) {
      add("secret", source, "secret.name");
      add("configMap", source, "configMap.name");
    }
    add("claim", volume, "persistentVolumeClaim.claimName");
    const made = valueAt(volume, "ephemeral") !== undefined;
    if (made) refs.add(refOf("claim", namespace, `${podName}-${textAt(volume, "name")}`));
  }
  for (const name of resourceClaims(pod)) refs.add(refOf("resourceClaim", namespace, name));
  return { node, refs: [...refs] };
}

/** A claim is named by the pod, or made of a template and then named by its status. */
function resourceClaims(pod: AnyObject): readonly string[] {
  const made = listAt(pod, "status.resourceClaimStatuses");
  return listAt(pod, "spec.resourceClaims").flatMap((claim) => {
    const given = textAt(claim, "resourceClaimName");
    if (given !== "") return [given];
    if (textAt(claim, "resourceClaimTemplateName") === "") return [];
    const status = made.find((each) => textAt(each, "name") === textAt(claim, "name"));
    const name = status === undefined ? "" : textAt(status, "resourceClaimName");
    return name === "" ? [] : [name];
  });
}

/** Sources whose secret is in the claim's namespace unless they say otherwise, and those that must say it. */
const claimSecrets = ["cephfs", "flexVolume", "iscsi", "rbd", "scaleIO"].map((source) => `spec.${source}.secretRef`);
const namedSecrets = [
  "spec.cinder.secretRef",
  "spec.storageos.secretRef",
  "spec.csi.nodePublishSecretRef",
  "spec.csi.nodeStageSecretRef",
  "spec.csi.nodeExpandSecretRef",
];

/** Undefined where the volume is bound to no claim. */
export function volumeEdges(volume: AnyObject): VolumeEdges | undefined {
  const namespace = textAt(volume, "spec.claimRef.namespace");
  const claim = textAt(volume, "spec.claimRef.name");
  if (claim === "") return undefined;
  const secrets = new Set<string>();
  const add = (secretNamespace: string, name: string): void => {
    if (secretNamespace !== "" && name !== "") secrets.add(refOf("secret", secretNamespace, name));
  };
  add(textAt(volume, "spec.azureFile.secretNamespace") || namespace, textAt(volume, "spec.azureFile.secretName"));
  for (const path of claimSecrets)
    add(textAt(volume, `${path}.namespace`) || namespace, textAt(volume, `${path}.name`));
  for (const path of namedSecrets) add(textAt(volume, `${path}.namespace`), textAt(volume, `${path}.name`));
  return { claim: refOf("claim", namespace, claim), secrets: [...secrets] };
}

/** "" where there is none. */
export function textAt(object: object, path: string): string {
  const value = valueAt(object, path);
  return typeof value === "string" ? value : "";
}

function listAt(object: object, path: string): readonly object[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.filter((each) => typeof each === "object" && each !== null) : [];
}
