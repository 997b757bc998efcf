import { isDeepStrictEqual } from "node:util";
import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import type { Controller } from "../controller.js";
import { isSameMap } from "../endpoint-slices/slice-labels.js";
import { controllerOf, type Kind } from "../rim/objects.js";
import { createReconciler } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import { compileSelectorOnce } from "../rim/selection.js";
import type { SeenPod } from "../seen/pod.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import {
  type Budget,
  decideBudget,
  needsScales,
  noDisruption,
  type Scale,
  staleDisruptionAt,
} from "./decide-budget.js";
import { createScales } from "./scales.js";

const name = "disruption-controller";

const budgetKind: Kind = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  collection: { group: "policy", version: "v1", resource: "poddisruptionbudgets" },
};

/** Keeps the status of budgets, by which evictions are let through. */
export function createDisruptionController(tools: ControllerTools): Controller {
  const { client, clock, informers, telemetry } = tools;
  const [pods, budgets] = [informers.of("pods"), informers.of("poddisruptionbudgets")];
  const scales = createScales(tools);
  const events = recorderOf(tools, name, "controllermanager");
  const failed = failureTeller(tools, name);

  const selects = (budget: Budget, pod: ApiObject): boolean =>
    compileSelectorOnce(budget.spec?.selector)?.matches(pod.metadata.labels) === true;
  const podsOf = (budget: Budget): readonly SeenPod[] => {
    const selected: SeenPod[] = [];
    for (const pod of pods.inNamespace(budget.metadata.namespace ?? "")) if (selects(budget, pod)) selected.push(pod);
    return selected;
  };
  const scalesOf = async (budget: Budget, of: readonly SeenPod[], signal: AbortSignal) => {
    const found = new Map<string, Scale>();
    if (!needsScales(budget)) return found;
    for (const pod of of) {
      const owner = controllerOf(pod);
      const uid = owner?.uid ?? "";
      if (owner !== undefined && !found.has(uid)) {
        found.set(uid, await scales.of(owner, budget.metadata.namespace ?? "", signal));
      }
    }
    return found;
  };
  const sync = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const budget: Budget | undefined = budgets.store.get(key);
    if (budget === undefined) return "done";
    const selected = podsOf(budget);
    const known = await scalesOf(budget, selected, signal);
    const { status, events: told, againAt } = decideBudget({ budget, pods: selected, scales: known }, clock.now());
    if (!isDeepStrictEqual(status, budget.status)) {
      const collection = { ...budgets.collection, namespace: budget.metadata.namespace ?? "" };
      const { apiVersion, kind } = budgetKind;
      // With its version: an eviction that was let through meanwhile is not forgotten.
      await client.update(collection, { ...budget, apiVersion, kind, status }, { subresource: "status", signal });
    }
    for (const event of told) events.tell({ about: budget, kind: budgetKind, ...event });
    return againAt === undefined ? "done" : { againAfterMs: Math.max(0, againAt - clock.now()) + 1000 };
  };

  /** A pod that was not evicted after all says so. */
  const unmark = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const pod = pods.store.get(key);
    const at = pod === undefined ? undefined : staleDisruptionAt(pod);
    if (pod === undefined || at === undefined) return "done";
    if (at > clock.now()) return { againAfterMs: at - clock.now() };
    const { name: of = "", namespace = "", uid = "" } = pod.metadata;
    const body = { metadata: { uid }, status: { conditions: [noDisruption(clock.now())] } };
    const patch = { type: patchTypes.strategic, body, subresource: "status", signal };
    await client.patch({ ...pods.collection, namespace }, of, patch).catch(unlessPast);
    return "done";
  };
  const marked = createWorkQueue<string>({
    ...{ workers: 1, work: unmark, clock, observer: telemetry.queue("stale_pod_disruption") },
    onError: (error, key) => failed(error, { key }),
  });

  const reconciler = createReconciler(
    {
      name,
      queue: "disruption",
      workers: 1,
      sync,
      follows(owners) {
        const look = (object: ApiObject): void => owners.add(keyOf(object));
        const lookAtThoseOf = (pod: ApiObject): void => {
          for (const budget of budgets.inNamespace(pod.metadata.namespace ?? ""))
            if (selects(budget, pod)) look(budget);
        };
        const note = (pod: ApiObject): void => {
          if (staleDisruptionAt(pod) !== undefined) marked.add(keyOf(pod));
        };
        const lookAround = ({ metadata }: ApiObject): void => {
          for (const budget of budgets.inNamespace(metadata.namespace ?? "")) if (needsScales(budget)) look(budget);
        };
        return [
          {
            informer: budgets,
            handlers: {
              added: look,
              modified(budget, before) {
                if (!isDeepStrictEqual(budget["spec"], before["spec"]) || !isSettled(budget)) look(budget);
              },
            },
          },
          {
            informer: pods,
            handlers: {
              added(pod) {
                lookAtThoseOf(pod);
                note(pod);
              },
              modified(pod, before) {
                lookAtThoseOf(pod);
                if (!isSameMap(pod.metadata.labels, before.metadata.labels)) lookAtThoseOf(before);
                note(pod);
              },
              deleted: lookAtThoseOf,
            },
          },
          ...scales.informers.map((informer) => ({
            informer,
            handlers: {
              added: lookAround,
              modified(object: ApiObject, before: ApiObject) {
                if (replicas(object) !== replicas(before)) lookAround(object);
              },
            },
          })),
        ];
      },
    },
    tools,
  );
  return {
    async run(signal) {
      await Promise.all([reconciler.run(signal), marked.run(signal)]);
    },
  };
}

/** An eviction that was let through is waited for: the status says it. */
const isSettled = ({ status }: Budget): boolean => Object.keys(status?.disruptedPods ?? {}).length === 0;

const replicas = ({ spec }: { readonly spec?: { readonly replicas?: number } } & ApiObject): number | undefined =>
  spec?.replicas;
