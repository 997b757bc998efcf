import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { isJsonObject, type JsonObject } from "../json.js";

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

const containerLists = ["initContainers", "containers", "ephemeralContainers"];

interface VolumeSource {
  readonly kind: RefKind;
  readonly path: readonly string[];
}

const withSecretRef = ["cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"];

/** Where the source of a volume of a pod names an object of the pod's namespace. */
const volumeSources: ReadonlyMap<string, VolumeSource> = new Map<string, VolumeSource>([
  ["secret", { kind: "secret", path: ["secretName"] }],
  ["configMap", { kind: "configMap", path: ["name"] }],
  ["persistentVolumeClaim", { kind: "claim", path: ["claimName"] }],
  ["azureFile", { kind: "secret", path: ["secretName"] }],
  ["csi", { kind: "secret", path: ["nodePublishSecretRef", "name"] }],
  ...withSecretRef.map((name): [string, VolumeSource] => [name, { kind: "secret", path: ["secretRef", "name"] }]),
]);

/** Undefined where the pod is on no node. */
export function podEdges(pod: AnyObject, naming: Naming): PodEdges | undefined {
  const { namespace = "", name: podName = "" } = pod.metadata;
  const spec = pod["spec"];
  const node = textAt(spec, "nodeName");
  if (node === "") return undefined;
  const own = refOf("pod", namespace, podName);
  // A node makes its mirror pods itself: what such a pod names must give it nothing.
  if (pod.metadata.annotations?.[naming.key("config.mirror")] !== undefined) return { node, refs: [own] };
  const refs = new Set([own]);
  const add = (kind: RefKind, name: string): void => {
    if (name !== "") refs.add(refOf(kind, namespace, name));
  };
  add("serviceAccount", textAt(spec, "serviceAccountName"));
  for (const reference of listAt(spec, "imagePullSecrets")) add("secret", textAt(reference, "name"));
  for (const list of containerLists) {
    for (const container of listAt(spec, list)) addContainer(container, add);
  }
  for (const volume of listAt(spec, "volumes")) addVolume(volume, podName, add);
  for (const name of resourceClaims(pod)) add("resourceClaim", name);
  return { node, refs: [...refs] };
}

type Add = (kind: RefKind, name: string) => void;

function addContainer(container: JsonObject, add: Add): void {
  for (const source of listAt(container, "envFrom")) {
    add("secret", textAt(source, "secretRef", "name"));
    add("configMap", textAt(source, "configMapRef", "name"));
  }
  for (const variable of listAt(container, "env")) {
    const from = variable["valueFrom"];
    add("secret", textAt(from, "secretKeyRef", "name"));
    add("configMap", textAt(from, "configMapKeyRef", "name"));
  }
}

function addVolume(volume: JsonObject, podName: string, add: Add): void {
  for (const [name, value] of Object.entries(volume)) {
    const source = volumeSources.get(name);
    if (source !== undefined) add(source.kind, textAt(value, ...source.path));
  }
  for (const source of listAt(volume["projected"], "sources")) {
    add("secret", textAt(source, "secret", "name"));
    add("configMap", textAt(source, "configMap", "name"));
  }
  // Made for the pod, under a name that follows from its own.
  if (isJsonObject(volume["ephemeral"])) add("claim", `${podName}-${textAt(volume, "name")}`);
}

/** A claim is named by the pod, or made of a template and then named by its status. */
function resourceClaims(pod: AnyObject): readonly string[] {
  return listAt(pod["spec"], "resourceClaims").flatMap((claim) => {
    const given = textAt(claim, "resourceClaimName");
    if (given !== "") return [given];
    if (textAt(claim, "resourceClaimTemplateName") === "") return [];
    const made = listAt(pod["status"], "resourceClaimStatuses");
    return [
      textAt(
        made.find((each) => each["name"] === claim["name"]),
        "resourceClaimName",
      ),
    ];
  });
}

/** Sources whose secret is in the claim's namespace unless they say otherwise, and those that must say it. */
const claimSecrets = ["cephfs", "flexVolume", "iscsi", "rbd", "scaleIO"];
const namedSecrets = ["cinder", "storageos"];
/** Those of a CSI driver that are for nodes; the others are for its controllers. */
const csiSecrets = ["nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef"];

/** Undefined where the volume is bound to no claim. */
export function volumeEdges(volume: AnyObject): VolumeEdges | undefined {
  const spec = volume["spec"];
  const namespace = textAt(spec, "claimRef", "namespace");
  const claim = textAt(spec, "claimRef", "name");
  if (claim === "") return undefined;
  const secrets = new Set<string>();
  const add = (from: string, name: string): void => {
    if (from !== "" && name !== "") secrets.add(refOf("secret", from, name));
  };
  const reference = (source: string, ref: string, byDefault: string): void =>
    add(textAt(spec, source, ref, "namespace") || byDefault, textAt(spec, source, ref, "name"));
  add(textAt(spec, "azureFile", "secretNamespace") || namespace, textAt(spec, "azureFile", "secretName"));
  for (const source of claimSecrets) reference(source, "secretRef", namespace);
  for (const source of namedSecrets) reference(source, "secretRef", "");
  for (const ref of csiSecrets) reference("csi", ref, "");
  return { claim: refOf("claim", namespace, claim), secrets: [...secrets] };
}

/** "" where there is none. Steps and not a dotted path: this is done for all the pods of a cluster. */
export function textAt(from: unknown, ...steps: readonly string[]): string {
  let value = from;
  for (const step of steps) {
    if (!isJsonObject(value)) return "";
    value = value[step];
  }
  return typeof value === "string" ? value : "";
}

function listAt(from: unknown, name: string): readonly JsonObject[] {
  const value = isJsonObject(from) ? from[name] : undefined;
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
