import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import type { Outcome } from "@orch/client/work-queue.js";
import type { Naming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Controller } from "../controller.js";
import type { ReplicaSet } from "../replicas/types.js";
import { claimChildren } from "../rim/adoption.js";
import { childHandlers, ownerHandlers } from "../rim/children.js";
import { controllerOf } from "../rim/objects.js";
import { createOwnWrites } from "../rim/own-writes.js";
import { isNamespaceEnding } from "../rim/pod-control.js";
import { hasEnded } from "../rim/pods.js";
import { createReconciler, type Owners } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import { sameJson } from "../rim/same-json.js";
import { workloadKinds } from "../rim/workload-kinds.js";
import { writeStatus } from "../rim/write-status.js";
import type { ControllerTools } from "../tools.js";
import { type DeploymentAction, type DeploymentPlan, decide } from "./decide.js";
import { isRolling } from "./fenceposts.js";
import { newSet } from "./new-set.js";
import { revisionOf, sizeAnnotations } from "./revisions.js";
import { lateInMs, withNewSet } from "./status.js";
import { sameTemplate } from "./template-hash.js";
import { type Deployment, type DeploymentKeys, type Sets, sizeOf } from "./types.js";

const name = "deployment-controller";
const kind = workloadKinds.deployment;
const setKind = workloadKinds.replicaSet;

export interface DeploymentConfig {
  /** Deployments that are looked at at once. */
  readonly workers: number;
}

export function deploymentKeys(naming: Naming): DeploymentKeys {
  const key = (word: string): string => `deployment.${naming.key(word)}`;
  return {
    revision: key("revision"),
    history: key("revision-history"),
    desired: key("desired-replicas"),
    max: key("max-replicas"),
    lastApplied: naming.clientSideApply.annotation,
    hash: "pod-template-hash",
  };
}

/** Rolls templates of deployments out over ReplicaSets. */
export function createDeploymentController({ workers }: DeploymentConfig, tools: ControllerTools): Controller {
  const { client, clock, informers, naming } = tools;
  const keys = deploymentKeys(naming);
  const deployments = informers.of("deployments");
  const replicaSets = informers.of("replicasets");
  const pods = informers.of("pods");
  const ownWrites = createOwnWrites(replicaSets.store, clock);
  const events = recorderOf(tools, name, name);
  const selectorOf = (object: ApiObject) => {
    const { spec }: Deployment = object;
    return spec?.selector;
  };

  const tellScaled = (deployment: Deployment, set: string | undefined, from: number, to: number): void => {
    const message = `Scaled ${to > from ? "up" : "down"} replica set ${set} from ${from} to ${to}`;
    events.tell({ about: deployment, kind, type: "Normal", reason: "ScalingReplicaSet", message });
  };
  const setsIn = (deployment: Deployment) => ({
    ...setKind.collection,
    namespace: deployment.metadata.namespace ?? "",
  });
  const updateSet = async (deployment: Deployment, set: ReplicaSet, signal: AbortSignal): Promise<void> => {
    const { apiVersion, kind: word } = setKind;
    const before = set.metadata.resourceVersion;
    const written = await client.update(setsIn(deployment), { ...set, apiVersion, kind: word }, { signal });
    // What changes nothing is not shown.
    if (written.metadata.resourceVersion !== before) ownWrites.wrote(keyOf(deployment), keyOf(set), before);
  };

  /** Of a set whose name is taken: it is the one that is wanted, or the name stands for another template. */
  const takenName = async (deployment: Deployment, setName: string, signal: AbortSignal): Promise<Outcome> => {
    const taken: ReplicaSet = await client.get(setsIn(deployment), setName, { signal });
    const isOwn = controllerOf(taken)?.uid === deployment.metadata.uid;
    if (isOwn && sameTemplate(taken.spec?.template, deployment.spec?.template, keys.hash)) return "done";
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    await writeStatus(client, kind, deployment, { ...deployment.status, collisionCount }, signal);
    return "retry";
  };
  const create = async (deployment: Deployment, { old }: Sets, signal: AbortSignal): Promise<Outcome> => {
    const set = newSet(deployment, old, keys);
    const { name: setName } = set.metadata;
    try {
      const made = await client.create(setsIn(deployment), set, { signal });
      if (replicaSets.store.get(keyOf(made)) === undefined) ownWrites.wrote(keyOf(deployment), keyOf(made), undefined);
    } catch (error) {
      if (isNamespaceEnding(error)) return "done";
      if (error instanceof ApiError && error.reason === "AlreadyExists") return takenName(deployment, setName, signal);
      const message = messageOf(error);
      const failed = withNewSet(deployment, { failed: setName, message }, clock.now());
      if (!sameJson(failed, deployment.status?.conditions)) {
        await writeStatus(client, kind, deployment, { ...deployment.status, conditions: failed }, signal);
      }
      throw error;
    }
    if (set.spec.replicas > 0) tellScaled(deployment, setName, 0, set.spec.replicas);
    const conditions = withNewSet(deployment, { made: setName }, clock.now());
    const revised = withRevision(deployment, set, keys);
    await writeStatus(client, kind, revised, { ...deployment.status, conditions }, signal);
    return "done";
  };
  const act = async (
    deployment: Deployment,
    action: Exclude<DeploymentAction, { readonly type: "create" }>,
    signal: AbortSignal,
  ): Promise<void> => {
    const { set } = action;
    if (action.type === "update") return await updateSet(deployment, set, signal);
    if (action.type === "delete") {
      const { name: setName = "", uid = "" } = set.metadata;
      await client.delete(setsIn(deployment), setName, { preconditions: { uid }, signal }).catch(unlessPast);
      return;
    }
    const annotations = { ...set.metadata.annotations, ...sizeAnnotations(deployment, keys) };
    const isSame = action.size === sizeOf(set) && sameJson(annotations, set.metadata.annotations);
    if (isSame) return;
    const metadata = { ...set.metadata, annotations };
    await updateSet(deployment, { ...set, metadata, spec: { ...set.spec, replicas: action.size } }, signal);
    if (action.size !== sizeOf(set)) tellScaled(deployment, set.metadata.name, sizeOf(set), action.size);
  };
  const carryOut = async (deployment: Deployment, plan: DeploymentPlan, signal: AbortSignal): Promise<Outcome> => {
    const { sets, actions, status } = plan;
    for (const action of actions) {
      if (action.type === "create") return await create(deployment, sets, signal);
      await act(deployment, action, signal);
    }
    const revised = sets.newest === undefined ? deployment : withRevision(deployment, sets.newest, keys);
    if (revised !== deployment || !sameJson(status, deployment.status)) {
      await writeStatus(client, kind, revised, status, signal);
    }
    const late = lateInMs(deployment, status, clock.now());
    return late === undefined ? "done" : { againAfterMs: late };
  };

  return createReconciler(
    {
      ...{ name, queue: "deployment", workers },
      follows: (owners) => [
        { informer: deployments, handlers: ownerHandlers(owners, (key) => ownWrites.forget(key)) },
        { informer: replicaSets, handlers: childHandlers({ kind, informer: deployments, owners, selectorOf }) },
        { informer: pods, handlers: { deleted: (pod) => recreateOf(pod, owners) } },
      ],
      async sync(key, signal) {
        const deployment: Deployment | undefined = deployments.store.get(key);
        if (deployment === undefined) return "done";
        const waitMs = ownWrites.waitMs(key);
        if (waitMs !== undefined) return { againAfterMs: waitMs };
        const how = { client, kind, informer: replicaSets, selector: deployment.spec?.selector };
        const owned: readonly ReplicaSet[] = await claimChildren(deployment, how, signal);
        const plan = decide({ deployment, owned, keys, hasPods }, clock.now());
        return await carryOut(deployment, plan, signal);
      },
    },
    tools,
  );

  function hasPods(sets: readonly ReplicaSet[]): boolean {
    return sets.some((set) => [...pods.managedBy(set.metadata.uid ?? "")].some((pod) => !hasEnded(pod)));
  }

  /** A deployment that waits until its last old pod is gone. */
  function recreateOf(pod: ApiObject, owners: Owners): void {
    const { namespace = "" } = pod.metadata;
    const set = replicaSets.store.get(`${namespace}/${controllerOf(pod)?.name ?? ""}`);
    const key = set === undefined ? "" : `${namespace}/${controllerOf(set)?.name ?? ""}`;
    const deployment = deployments.store.get(key);
    if (deployment !== undefined && !isRolling(deployment)) owners.add(key);
  }
}

/** The deployment with the revision of its newest set; itself where it has it. */
function withRevision(deployment: Deployment, newest: ReplicaSet, keys: DeploymentKeys): Deployment {
  const revision = revisionOf(newest, keys);
  const { annotations } = deployment.metadata;
  if (revision === 0 || annotations?.[keys.revision] === String(revision)) return deployment;
  const metadata = { ...deployment.metadata, annotations: { ...annotations, [keys.revision]: String(revision) } };
  return { ...deployment, metadata };
}
