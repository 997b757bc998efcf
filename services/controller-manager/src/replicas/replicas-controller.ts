import { podAnnotationKeys } from "@orch/api/kinds/core/pod/annotation-keys.js";
import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Controller, ControllerName } from "../controller.js";
import { claimChildren } from "../rim/adoption.js";
import { childHandlers, ownerHandlers } from "../rim/children.js";
import { createExpectations } from "../rim/expectations.js";
import { controllerOf, isGoing, type Kind } from "../rim/objects.js";
import { createPodControl, podOfTemplate } from "../rim/pod-control.js";
import { isActive, type Pod } from "../rim/pods.js";
import { createReconciler } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import { sameJson } from "../rim/same-json.js";
import { type LabelSelector, selectorOfLabels } from "../rim/selection.js";
import { slowStart } from "../rim/slow-start.js";
import { workloadKinds } from "../rim/workload-kinds.js";
import { writeStatus } from "../rim/write-status.js";
import type { ControllerTools } from "../tools.js";
import { type Failed, lookAgainInMs, planReplicas, type ReplicaPlan, replicaStatus } from "./decide.js";
import { rankForDeletion } from "./rank.js";
import type { ReplicaSet } from "./types.js";

export interface ReplicasConfig {
  /** Sets that are looked at at once. */
  readonly workers: number;
}

interface Variant {
  readonly name: ControllerName;
  readonly queue: string;
  readonly component: string;
  readonly resource: "replicasets" | "replicationcontrollers";
  readonly kind: Kind;
  readonly selectorOf: (object: ApiObject) => LabelSelector | undefined;
}

/** Keeps as many pods of a ReplicaSet as it says. */
export function createReplicaSetController(config: ReplicasConfig, tools: ControllerTools): Controller {
  return createReplicasController(config, tools, {
    ...{ name: "replicaset-controller", queue: "replicaset", component: "replicaset-controller" },
    ...{ resource: "replicasets", kind: workloadKinds.replicaSet },
    selectorOf: (object) => {
      const { spec }: ReplicaSet = object;
      return spec?.selector;
    },
  });
}

interface LabelsSelected extends ApiObject {
  readonly spec?: { readonly selector?: Readonly<Record<string, string>> };
}

/** The same for a ReplicationController, which selects by labels alone. */
export function createReplicationController(config: ReplicasConfig, tools: ControllerTools): Controller {
  return createReplicasController(config, tools, {
    ...{ name: "replicationcontroller-controller", queue: "replicationmanager", component: "replication-controller" },
    ...{ resource: "replicationcontrollers", kind: workloadKinds.replicationController },
    selectorOf: (object) => {
      const { spec }: LabelsSelected = object;
      return spec?.selector === undefined ? undefined : selectorOfLabels(spec.selector);
    },
  });
}

function createReplicasController({ workers }: ReplicasConfig, tools: ControllerTools, variant: Variant): Controller {
  const { client, clock, informers, naming } = tools;
  const { kind, selectorOf } = variant;
  const sets = informers.of(variant.resource);
  const pods = informers.of("pods");
  const expectations = createExpectations(clock);
  const events = recorderOf(tools, variant.name, variant.component);
  const control = createPodControl({ client, kind, events });
  const costKey = podAnnotationKeys(naming).deletionCost;

  const create = async (set: ReplicaSet, count: number, signal: AbortSignal): Promise<Failed | undefined> => {
    const key = keyOf(set);
    const pod = podOfTemplate(set.spec?.template ?? {}, set, kind);
    expectations.expectCreations(key, count);
    const { failures, skipped } = await slowStart(Array(count).fill(pod), async (each: ApiObject) => {
      try {
        if ((await control.create(each, set, signal)) === undefined) expectations.creationSeen(key);
      } catch (error) {
        expectations.creationSeen(key);
        throw error;
      }
    });
    for (let i = 0; i < skipped; i++) expectations.creationSeen(key);
    return failures.length === 0 ? undefined : { reason: "FailedCreate", message: messageOf(failures[0]) };
  };

  /** How many pods each node has of all sets of the one that manages this one. */
  const siblingsOnNodes = (set: ReplicaSet): ReadonlyMap<string, number> => {
    const { uid } = controllerOf(set) ?? {};
    const related = uid === undefined ? [set] : sets.managedBy(uid);
    const counts = new Map<string, number>();
    for (const each of related) {
      for (const pod of pods.managedBy(each.metadata.uid ?? "")) {
        const { spec }: Pod = pod;
        if (isActive(pod)) counts.set(spec?.nodeName ?? "", (counts.get(spec?.nodeName ?? "") ?? 0) + 1);
      }
    }
    return counts;
  };
  const remove = async (set: ReplicaSet, { candidates, remove: count }: ReplicaPlan, signal: AbortSignal) => {
    const key = keyOf(set);
    const siblings = count < candidates.length ? siblingsOnNodes(set) : new Map<string, number>();
    const facts = { costKey, siblingsOnNode: (node: string) => siblings.get(node) ?? 0, now: clock.now() };
    const chosen = rankForDeletion(candidates, facts).slice(0, count);
    expectations.expectDeletions(
      key,
      chosen.map(({ metadata }) => metadata.uid ?? ""),
    );
    const outcomes = await Promise.allSettled(
      chosen.map((pod) =>
        control.delete(pod, set, signal).catch((error: unknown) => {
          expectations.deletionSeen(key, pod.metadata.uid ?? "");
          throw error;
        }),
      ),
    );
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    return failed === undefined ? undefined : ({ reason: "FailedDelete", message: messageOf(failed.reason) } as const);
  };

  const act = async (set: ReplicaSet, plan: ReplicaPlan, signal: AbortSignal): Promise<Failed | undefined> => {
    if (plan.create > 0) return await create(set, plan.create, signal);
    return plan.remove > 0 ? await remove(set, plan, signal) : undefined;
  };

  return createReconciler(
    {
      ...{ name: variant.name, queue: variant.queue, workers },
      follows: (owners) => [
        { informer: sets, handlers: ownerHandlers(owners, (key) => expectations.forget(key)) },
        { informer: pods, handlers: childHandlers({ kind, informer: sets, owners, expectations, selectorOf }) },
      ],
      async sync(key, signal) {
        const set: ReplicaSet | undefined = sets.store.get(key);
        if (set === undefined) return "done";
        const selector = selectorOf(set);
        const owned: readonly Pod[] = await claimChildren(set, { client, kind, informer: pods, selector }, signal);
        const isMet = expectations.isMet(key);
        const failed = isMet && !isGoing(set) ? await act(set, planReplicas(set, owned), signal) : undefined;
        // Pods that were just made are not shown yet: the status is of those that are.
        const now = clock.now();
        const status = replicaStatus(set, owned, { failed: isMet ? failed : failureIn(set), now });
        if (!sameJson(status, set.status)) await writeStatus(client, kind, set, status, signal);
        if (failed !== undefined) return "retry";
        const again = lookAgainInMs(set, owned, now);
        return again === undefined ? "done" : { againAfterMs: again };
      },
    },
    tools,
  );
}

/** While it is waited for what was done, what failed last still stands. */
function failureIn({ status }: ReplicaSet): Failed | undefined {
  const failure = status?.conditions?.find(({ type, status: is }) => type === "ReplicaFailure" && is === "True");
  if (failure === undefined) return undefined;
  const reason = failure.reason === "FailedDelete" ? "FailedDelete" : "FailedCreate";
  return { reason, message: failure.message ?? "" };
}
