import { templateGenerationAnnotation } from "@orch/api/kinds/apps/daemon-set.js";
import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import type { Outcome } from "@orch/client/work-queue.js";
import type { Controller } from "../controller.js";
import { claimChildren } from "../rim/adoption.js";
import { childHandlers, ownerHandlers } from "../rim/children.js";
import { createExpectations } from "../rim/expectations.js";
import {
  type ControllerRevision,
  carryOutRevision,
  deleteRevisions,
  duplicatesIn,
  isOfTemplate,
  pastRevisions,
  planRevision,
  revisionLabel,
  sortedRevisions,
} from "../rim/history.js";
import type { InformerHandlers } from "../rim/informers.js";
import { createPodControl, podOfTemplate } from "../rim/pod-control.js";
import type { Pod } from "../rim/pods.js";
import { createReconciler, type Owners } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import { sameJson } from "../rim/same-json.js";
import { slowStart } from "../rim/slow-start.js";
import { workloadKinds } from "../rim/workload-kinds.js";
import { writeStatus } from "../rim/write-status.js";
import type { ControllerTools } from "../tools.js";
import { type DaemonPlan, decide } from "./decide.js";
import { nodeOf, specForNode } from "./placement.js";
import type { DaemonSet, Node } from "./types.js";

const name = "daemonset-controller";
const kind = workloadKinds.daemonSet;
const firstDelayMs = 1_000;
const longestDelayMs = 15 * 60_000;

/** How often the template had changed when a pod was made, as users of old versions know it. */
function generationLabel({ metadata }: DaemonSet): Readonly<Record<string, string>> {
  const generation = metadata.annotations?.[templateGenerationAnnotation] ?? "";
  return /^-?[0-9]+$/.test(generation) ? { "pod-template-generation": generation } : {};
}

export interface DaemonSetConfig {
  /** Daemon sets that are looked at at once. */
  readonly workers: number;
}

/** Keeps a pod of a DaemonSet on every node that it selects. */
export function createDaemonSetController({ workers }: DaemonSetConfig, tools: ControllerTools): Controller {
  const { client, clock, informers, naming } = tools;
  const sets = informers.of("daemonsets");
  const pods = informers.of("pods");
  const nodes = informers.of("nodes");
  const revisions = informers.of("controllerrevisions");
  const expectations = createExpectations(clock);
  const events = recorderOf(tools, name, name);
  const control = createPodControl({ client, kind, events });
  /** Of a set on a node: when a pod that has ended may be deleted next, and how long it was waited for last. */
  const delays = new Map<string, { readonly until: number; readonly ms: number }>();
  const selectorOf = (object: ApiObject) => {
    const { spec }: DaemonSet = object;
    return spec?.selector;
  };

  /** Pods that have ended and whose delay is over; the others' delay in milliseconds. */
  const endedNow = (set: DaemonSet, ended: readonly Pod[]) => {
    const now = clock.monotonic();
    const due: Pod[] = [];
    let waitMs: number | undefined;
    for (const pod of ended) {
      const key = `${set.metadata.uid}/${nodeOf(pod)}`;
      const delay = delays.get(key);
      if (delay !== undefined && delay.until > now) {
        waitMs = Math.min(waitMs ?? delay.until - now, delay.until - now);
        continue;
      }
      const isLongAgo = delay === undefined || now - delay.until > 2 * longestDelayMs;
      const ms = isLongAgo ? firstDelayMs : Math.min(longestDelayMs, delay.ms * 2);
      delays.set(key, { until: now + ms, ms });
      due.push(pod);
    }
    return { due, waitMs };
  };
  const tellEnded = (set: DaemonSet, pod: Pod): void => {
    const hasFailed = pod.status?.phase === "Failed";
    const place = `${pod.metadata.namespace}/${pod.metadata.name} on node ${nodeOf(pod)}`;
    const reason = hasFailed ? "FailedDaemonPod" : "SucceededDaemonPod";
    const message = hasFailed
      ? `Found failed daemon pod ${place}, will try to kill it`
      : `Found succeeded daemon pod ${place}, will try to delete it`;
    events.tell({ about: set, kind, type: hasFailed ? "Warning" : "Normal", reason, message });
  };
  const remove = async (set: DaemonSet, gone: readonly Pod[], signal: AbortSignal): Promise<void> => {
    const key = keyOf(set);
    expectations.expectDeletions(
      key,
      gone.map(({ metadata }) => metadata.uid ?? ""),
    );
    await Promise.all(
      gone.map((pod) =>
        control.delete(pod, set, signal).catch((error: unknown) => {
          expectations.deletionSeen(key, pod.metadata.uid ?? "");
          throw error;
        }),
      ),
    );
  };
  const create = async (set: DaemonSet, on: readonly string[], hash: string, signal: AbortSignal): Promise<void> => {
    const key = keyOf(set);
    const { template = {} } = set.spec ?? {};
    const generation = generationLabel(set);
    expectations.expectCreations(key, on.length);
    const { failures, skipped } = await slowStart(on, async (node) => {
      const pod = podOfTemplate(template, set, kind);
      const labels = { ...pod.metadata.labels, ...generation, [revisionLabel]: hash };
      const spec = specForNode(template.spec ?? {}, node, naming);
      try {
        const made = await control.create({ ...pod, metadata: { ...pod.metadata, labels }, spec }, set, signal);
        if (made === undefined) expectations.creationSeen(key);
      } catch (error) {
        expectations.creationSeen(key);
        throw error;
      }
    });
    for (let i = 0; i < skipped; i++) expectations.creationSeen(key);
    if (failures.length > 0) throw failures[0];
  };
  const carryOut = async (set: DaemonSet, plan: DaemonPlan, hash: string, signal: AbortSignal): Promise<Outcome> => {
    const { due, waitMs } = endedNow(set, plan.ended);
    for (const pod of due) tellEnded(set, pod);
    const gone = [...plan.remove, ...due];
    const act = async (): Promise<void> => {
      if (gone.length > 0) await remove(set, gone, signal);
      if (plan.create.length > 0) await create(set, plan.create, hash, signal);
    };
    const [acted] = await Promise.allSettled([act()]);
    await store(set, plan, signal);
    if (acted.status === "rejected") throw acted.reason;
    const again = [plan.againAfterMs, waitMs].filter((ms) => ms !== undefined);
    return again.length === 0 ? "done" : { againAfterMs: Math.min(...again) };
  };
  const store = async (set: DaemonSet, { status }: DaemonPlan, signal: AbortSignal): Promise<void> => {
    if (!sameJson(status, set.status)) await writeStatus(client, kind, set, status, signal);
  };

  /** The hash of the set's template, with its revision stored; undefined where its name was taken. */
  const hashOf = async (set: DaemonSet, history: readonly ControllerRevision[], signal: AbortSignal) => {
    const { collisionCount } = set.status ?? {};
    const { template = {} } = set.spec ?? {};
    const plan = planRevision(set, { kind, template, history, collisionCount, hashLabel: revisionLabel });
    const stored = await carryOutRevision(client, set, plan, signal);
    if ("revision" in stored) return stored.revision.metadata.labels?.[revisionLabel] ?? "";
    await writeStatus(client, kind, set, { ...set.status, collisionCount: (collisionCount ?? 0) + 1 }, signal);
    return undefined;
  };
  /**
   * Makes one of several revisions that say the same. Their pods get the label of the newest first: a revision goes when no pod
   * is seen that has its label, or the pod would be taken for one of an old template. @returns whether there were any
   */
  const mergeDuplicates = async (
    set: DaemonSet,
    { history, owned }: { readonly history: readonly ControllerRevision[]; readonly owned: readonly Pod[] },
    signal: AbortSignal,
  ): Promise<boolean> => {
    const found = duplicatesIn(history, set.spec?.template ?? {});
    if (found === undefined) return false;
    const hash = (of: ApiObject): string => of.metadata.labels?.[revisionLabel] ?? "";
    const stale = new Set(found.others.map(hash));
    stale.delete(hash(found.kept));
    const theirs = owned.filter((pod) => stale.has(hash(pod)));
    for (const { metadata } of theirs) {
      const { name: pod = "", namespace = "", uid } = metadata;
      const body = { metadata: { uid, labels: { [revisionLabel]: hash(found.kept) } } };
      await client
        .patch({ ...pods.collection, namespace }, pod, { type: patchTypes.merge, body, signal })
        .catch(unlessPast);
    }
    if (theirs.length === 0) await deleteRevisions(client, set, found.others, signal);
    return true;
  };
  const cleanUp = async (
    set: DaemonSet,
    history: readonly ControllerRevision[],
    owned: readonly Pod[],
    signal: AbortSignal,
  ): Promise<void> => {
    const hashes = new Set(owned.map(({ metadata }) => metadata.labels?.[revisionLabel]));
    const inUse = history.filter((each) => {
      return hashes.has(each.metadata.labels?.[revisionLabel]) || isOfTemplate(each, set.spec?.template ?? {});
    });
    const live = new Set(inUse.map(({ metadata }) => metadata.name ?? ""));
    const past = pastRevisions(history, { live, limit: set.spec?.revisionHistoryLimit ?? 10 });
    if (past.length > 0) await deleteRevisions(client, set, past, signal);
  };

  return createReconciler(
    {
      ...{ name, queue: "daemonset", workers },
      follows: (owners) => [
        { informer: sets, handlers: ownerHandlers(owners, (key) => expectations.forget(key)) },
        { informer: nodes, handlers: nodeHandlers(owners) },
        { informer: pods, handlers: childHandlers({ kind, informer: sets, owners, expectations, selectorOf }) },
        { informer: revisions, handlers: childHandlers({ kind, informer: sets, owners, selectorOf }) },
      ],
      async sync(key, signal) {
        const set: DaemonSet | undefined = sets.store.get(key);
        if (set === undefined) return "done";
        const how = { client, kind, selector: set.spec?.selector };
        const owned: readonly Pod[] = await claimChildren(set, { ...how, informer: pods }, signal);
        const claimed: readonly ControllerRevision[] = await claimChildren(
          set,
          { ...how, informer: revisions },
          signal,
        );
        const history = sortedRevisions(claimed);
        if (set.metadata.deletionTimestamp !== undefined) return "done";
        // What was changed comes back as an event.
        if (await mergeDuplicates(set, { history, owned }, signal)) return "done";
        const hash = await hashOf(set, history, signal);
        if (hash === undefined) return "retry";
        const all: readonly Node[] = [...nodes.store.values()];
        const plan = decide({ set, nodes: all, pods: owned, hash, naming }, clock.now());
        if (!expectations.isMet(key)) {
          await store(set, plan, signal);
          return "done";
        }
        const outcome = await carryOut(set, plan, hash, signal);
        await cleanUp(set, history, owned, signal);
        return outcome;
      },
    },
    tools,
  );

  /** A node that comes, goes, or takes other pods than before has to do with every set. */
  function nodeHandlers(owners: Owners): InformerHandlers {
    const lookAtAll = (): void => {
      for (const key of sets.store.keys()) owners.add(key);
    };
    return {
      added: lookAtAll,
      deleted: lookAtAll,
      modified(node: Node, before: Node) {
        const isSame = sameJson(node.metadata.labels, before.metadata.labels) && sameJson(node.spec, before.spec);
        if (!isSame) lookAtAll();
      },
    };
  }
}
