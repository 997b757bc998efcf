import { podAnnotationKeys } from "@orch/api/kinds/core/pod/annotation-keys.js";
import { containersOf, type Pod, type PodSpec } from "@orch/api/kinds/core/pod/types.js";
import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { equalJson } from "@orch/schema/equal.js";
import { notFound } from "@orch/status/api-error.js";
import { findStored } from "../../write/storing/stored.js";
import { builtIn, resourceOf, type Write } from "../../write/write.js";
import { usesSecrets } from "../service-account/pod-secrets.js";
import type { AccountedPod } from "../service-account/service-account-types.js";
import type { NodeRule, NodeWrite } from "./node-restriction-rule.js";

/** A node makes mirrors of the pods that it runs by itself, and tells the state of its pods and removes them. */
export function podRules(naming: Naming): NodeRule {
  const { mirror } = podAnnotationKeys(naming);
  return async ({ write, node, change }) => {
    const { subresource } = write.request;
    const who = `node ${JSON.stringify(node)}`;
    switch (subresource) {
      case "":
        if (change.type === "create") return mirrorProblem(write, node, { pod: change.object, mirror });
        if (change.type === "update") {
          return `unexpected operation "UPDATE", ${who} can only create and delete mirror pods`;
        }
        if (isOn(node, change.old)) return undefined;
        return `${who} can only delete pods with spec.nodeName set to itself`;
      case "status":
        if (change.type === "update") return statusProblem(node, change);
        return `unexpected operation ${JSON.stringify(change.type.toUpperCase())}`;
      case "eviction":
        // Of the Eviction itself; the pod that it means is judged as it is deleted.
        if (change.type === "create") return undefined;
        if (change.type !== "delete") return `unexpected operation ${change.type.toUpperCase()}`;
        if (isOn(node, change.old)) return undefined;
        return `node ${node} can only evict pods with spec.nodeName set to itself`;
      default:
        return `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`;
    }
  };
}

function isOn(node: string, pod: Pod): boolean {
  return pod.spec?.nodeName === node;
}

interface Created {
  readonly pod: AnyObject;
  /** The annotation of mirror pods. */
  readonly mirror: string;
}

async function mirrorProblem(write: Write, node: string, { pod, mirror }: Created): Promise<string | undefined> {
  const who = `node ${JSON.stringify(node)}`;
  if (pod.metadata.annotations?.[mirror] === undefined) {
    return `pod does not have ${JSON.stringify(mirror)} annotation, ${who} can only create mirror pods`;
  }
  if (!isOn(node, pod)) return `${who} can only create pods with spec.nodeName set to itself`;
  const problem = await ownerProblem(write, node, pod);
  if (problem !== undefined) return problem;
  const used = referenced(pod);
  return used === undefined ? undefined : `${who} can not create pods that reference ${used}`;
}

/** The one owner is the node as it is registered now. */
async function ownerProblem(write: Write, node: string, { metadata }: AnyObject): Promise<string | undefined> {
  const who = `node ${JSON.stringify(node)}`;
  const [owner, ...more] = metadata.ownerReferences ?? [];
  if (more.length > 0) return `${who} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node) {
    return `${who} can only create pods with an owner reference set to itself`;
  }
  if (owner.controller !== true) {
    return `${who} can only create pods with a controller owner reference set to itself`;
  }
  if (owner.blockOwnerDeletion === true) return `${who} must not set blockOwnerDeletion on an owner reference`;
  const { uid } = (await existing(write, "Node", node)).metadata;
  return owner.uid === uid ? undefined : `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`;
}

/** The first sort of objects that a pod names: whoever runs it could read them. */
function referenced(pod: AccountedPod): string | undefined {
  const { spec = {} } = pod;
  const volumes = spec.volumes ?? [];
  if ((spec.serviceAccountName ?? "") !== "") return "a service account";
  if (usesSecrets(spec)) return "secrets";
  if (usesConfigMaps(spec)) return "configmaps";
  const sources = volumes.flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some((source) => source.clusterTrustBundle !== undefined)) return "clustertrustbundles";
  // An ephemeral volume is a claim that a controller makes for the pod.
  const claimed = volumes.some((v) => v.persistentVolumeClaim !== undefined || v.ephemeral !== undefined);
  if (claimed) return "persistentvolumeclaims";
  return (spec.resourceClaims ?? []).length > 0 ? "resourceclaims" : undefined;
}

function usesConfigMaps(spec: PodSpec): boolean {
  const inContainers = containersOf(spec).flatMap(({ container: { env = [], envFrom = [] } }) => [
    ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ...envFrom.map(({ configMapRef }) => configMapRef?.name),
  ]);
  const inVolumes = (spec.volumes ?? []).flatMap(({ configMap, projected }) => [
    configMap?.name,
    ...(projected?.sources ?? []).map((source) => source.configMap?.name),
  ]);
  return [...inContainers, ...inVolumes].some((name) => name !== undefined && name !== "");
}

function statusProblem(node: string, { object, old }: Extract<NodeWrite["change"], { type: "update" }>) {
  const who = `node ${JSON.stringify(node)}`;
  if (!isOn(node, old)) return `${who} can only update pod status for pods with spec.nodeName set to itself`;
  if (!equalJson(object.metadata.labels ?? {}, old.metadata.labels ?? {})) {
    return `${who} cannot update labels through pod status`;
  }
  // By them a node may read the claims that they name.
  if (!equalJson(claimStatuses(object), claimStatuses(old))) return `${who} cannot update resource claim statues`;
  return undefined;
}

function claimStatuses({ status }: Pod): readonly object[] {
  return (status?.resourceClaimStatuses ?? []).map(({ name = "", resourceClaimName = null }) => ({
    name,
    resourceClaimName,
  }));
}

/** A token of an account is for one pod of the node; that the pod has the account is seen where the token is made. */
export async function tokenProblem({ write, node, change }: NodeWrite): Promise<string | undefined> {
  if (change.type !== "create" || write.request.subresource !== "token") return undefined;
  const [apiVersion, kind, name, uid] = ["apiVersion", "kind", "name", "uid"].map((field) =>
    valueAt(change.object, `spec.boundObjectRef.${field}`),
  );
  if (apiVersion !== "v1" || kind !== "Pod" || typeof name !== "string" || name === "") {
    return "node requested token not bound to a pod";
  }
  if (typeof uid !== "string" || uid === "") return "node requested token with a pod binding without a uid";
  const pod = await existing(write, "Pod", name);
  if (pod.metadata.uid !== uid) {
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  }
  return isOn(node, pod) ? undefined : "node requested token bound to a pod scheduled on a different node";
}

/** @throws ApiError NotFound */
async function existing(write: Write, kindName: string, name: string): Promise<AnyObject> {
  const kind = builtIn(write, "v1", kindName);
  const object = await findStored(write, kind, name);
  if (object === undefined) throw notFound(resourceOf(kind), name);
  return object;
}
