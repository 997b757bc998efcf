import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import type { Outcome } from "@orch/client/work-queue.js";
import type { Naming } from "@orch/naming/naming.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Controller } from "../controller.js";
import { claimChildren } from "../rim/adoption.js";
import { childHandlers, ownerHandlers } from "../rim/children.js";
import { createExpectations } from "../rim/expectations.js";
import {
  type ControllerRevision,
  carryOutRevision,
  deleteRevisions,
  pastRevisions,
  planRevision,
  revisionLabel,
  sortedRevisions,
} from "../rim/history.js";
import { isGoing, type Seen } from "../rim/objects.js";
import { isNamespaceEnding } from "../rim/pod-control.js";
import type { Pod } from "../rim/pods.js";
import { createReconciler } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import { sameJson } from "../rim/same-json.js";
import { workloadKinds } from "../rim/workload-kinds.js";
import { writeStatus } from "../rim/write-status.js";
import type { ControllerTools } from "../tools.js";
import { unlessThere } from "../unless-there.js";
import { isClaimOfPast, ownersOfClaim } from "./claim-owners.js";
import { decide, type StatefulAction } from "./decide.js";
import { claimsOf, ordinalOf, podOf } from "./identity.js";
import type { StatefulSet, StatefulSetKeys } from "./types.js";

const name = "statefulset-controller";
const kind = workloadKinds.statefulSet;
const core = { group: "", version: "v1" };

export interface StatefulSetConfig {
  /** Stateful sets that are looked at at once. */
  readonly workers: number;
}

export function statefulSetKeys(naming: Naming): StatefulSetKeys {
  return { podName: `statefulset.${naming.key("pod-name")}`, podIndex: `apps.${naming.key("pod-index")}` };
}

/** Why a pod does not have a claim. */
interface ClaimProblem {
  readonly message: string;
  readonly cause?: unknown;
}

/** One as it is, several as a list. */
function messageOfProblems(problems: readonly ClaimProblem[]): string {
  const messages = problems.map(({ message }) => message);
  return messages.length === 1 ? (messages[0] ?? "") : `[${messages.join(", ")}]`;
}

interface Revisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

/** Keeps pods of a StatefulSet that each have a name and claims of their own. */
export function createStatefulSetController({ workers }: StatefulSetConfig, tools: ControllerTools): Controller {
  const { client, clock, informers, naming } = tools;
  const keys = statefulSetKeys(naming);
  const sets = informers.of("statefulsets");
  const pods = informers.of("pods");
  const claims = informers.of("persistentvolumeclaims");
  const revisions = informers.of("controllerrevisions");
  const expectations = createExpectations(clock);
  const events = recorderOf(tools, name, name);
  const hashLabel = `controller.${naming.key("hash")}`;
  const selectorOf = (object: ApiObject) => {
    const { spec }: StatefulSet = object;
    return spec?.selector;
  };
  const tell = (set: StatefulSet, type: "Normal" | "Warning", reason: string, message: string): void =>
    events.tell({ about: set, kind, type, reason, message });
  const placeOf = ({ metadata }: StatefulSet, resource: string) => ({
    ...{ ...core, resource, namespace: metadata.namespace ?? "" },
  });

  /** Makes the claims of a pod that are not there. @returns what keeps the pod from having them all */
  const createClaims = async (
    set: StatefulSet,
    ordinal: number,
    signal: AbortSignal,
  ): Promise<readonly ClaimProblem[]> => {
    const problems: ClaimProblem[] = [];
    for (const claim of claimsOf(set, ordinal)) {
      const { name: claimName } = claim.metadata;
      const there = claims.store.get(keyOf(claim));
      if (there !== undefined && isGoing(there)) problems.push({ message: `pvc ${claimName} is being deleted` });
      if (there !== undefined) continue;
      const pod = `Pod ${set.metadata.name}-${ordinal} in StatefulSet ${set.metadata.name}`;
      try {
        await client.create(placeOf(set, "persistentvolumeclaims"), claim, { signal }).catch(unlessThere);
        tell(set, "Normal", "SuccessfulCreate", `create Claim ${claimName} ${pod} success`);
      } catch (cause) {
        const why = messageOf(cause);
        tell(set, "Warning", "FailedCreate", `create Claim ${claimName} for ${pod} failed error: ${why}`);
        problems.push({ message: `failed to create PVC ${claimName}: ${why}`, cause });
      }
    }
    return problems;
  };
  const create = async (set: StatefulSet, ordinal: number, of: ControllerRevision, signal: AbortSignal) => {
    const { $patch: _patch, ...template } = of.data?.spec?.template ?? {};
    const revision = of.metadata.name ?? "";
    const pod = podOf(set, { ordinal, revision, template, keys });
    const what = `create Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    const isOfPast = claimsOf(set, ordinal).some((claim) => {
      const there = claims.store.get(keyOf(claim));
      return there !== undefined && isClaimOfPast(there, set, pod.metadata.name);
    });
    if (isOfPast) return;
    const problems = await createClaims(set, ordinal, signal);
    if (problems.length > 0) {
      tell(set, "Warning", "FailedCreate", `${what} failed error: ${messageOfProblems(problems)}`);
      throw new Error(messageOfProblems(problems), { cause: problems[0]?.cause });
    }
    expectations.expectCreations(keyOf(set), 1);
    try {
      await client.create(placeOf(set, "pods"), pod, { signal });
    } catch (error) {
      expectations.creationSeen(keyOf(set));
      if (isNamespaceEnding(error)) return;
      tell(set, "Warning", "FailedCreate", `${what} failed error: ${messageOf(error)}`);
      throw error;
    }
    tell(set, "Normal", "SuccessfulCreate", `${what} successful`);
  };
  /** Makes claims that are there owned as the set's policy says now, those of pods that go before they do. */
  const keepClaims = async (set: StatefulSet, owned: readonly Pod[], signal: AbortSignal): Promise<void> => {
    if ((set.spec?.volumeClaimTemplates ?? []).length === 0) return;
    const place = placeOf(set, "persistentvolumeclaims");
    for (const pod of owned) {
      if (pod.status?.phase === "Pending" && !isGoing(pod)) {
        const problems = await createClaims(set, ordinalOf(pod, set) ?? 0, signal);
        if (problems.length > 0) throw new Error(messageOfProblems(problems), { cause: problems[0]?.cause });
      }
      for (const { metadata } of claimsOf(set, ordinalOf(pod, set) ?? 0)) {
        const claim: Seen | undefined = claims.store.get(`${place.namespace}/${metadata.name}`);
        const ownerReferences = claim === undefined ? undefined : ownersOfClaim(claim, set, pod);
        if (claim === undefined || ownerReferences === undefined) continue;
        // Controllers of sets may update claims, not patch them.
        const words = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
        await client
          .update(place, { ...claim, ...words, metadata: { ...claim.metadata, ownerReferences } }, { signal })
          .catch(unlessPast);
      }
    }
  };
  const remove = async (
    set: StatefulSet,
    { pod }: Extract<StatefulAction, { readonly type: "delete" }>,
    signal: AbortSignal,
  ): Promise<void> => {
    const { name: podName = "", uid = "" } = pod.metadata;
    const what = `delete Pod ${podName} in StatefulSet ${set.metadata.name}`;
    expectations.expectDeletions(keyOf(set), [uid]);
    try {
      await client.delete(placeOf(set, "pods"), podName, { preconditions: { uid }, signal }).catch(unlessPast);
    } catch (error) {
      expectations.deletionSeen(keyOf(set), uid);
      tell(set, "Warning", "FailedDelete", `${what} failed error: ${messageOf(error)}`);
      throw error;
    }
    tell(set, "Normal", "SuccessfulDelete", `${what} successful`);
  };

  /** Undefined where the name of the newest stands for another template. */
  const revisionsOf = async (
    set: StatefulSet,
    history: readonly ControllerRevision[],
    signal: AbortSignal,
  ): Promise<Revisions | undefined> => {
    const { collisionCount, currentRevision } = set.status ?? {};
    const { template = {} } = set.spec ?? {};
    const plan = planRevision(set, { kind, template, history, collisionCount, hashLabel });
    const stored = await carryOutRevision(client, set, plan, signal);
    if ("collided" in stored) {
      const status = { replicas: 0, ...set.status, collisionCount: (collisionCount ?? 0) + 1 };
      await writeStatus(client, kind, set, status, signal);
      return undefined;
    }
    const update = stored.revision;
    return { update, current: history.find(({ metadata }) => metadata.name === currentRevision) ?? update };
  };
  const cleanUp = async (
    set: StatefulSet,
    {
      history,
      owned,
      current,
      update,
    }: Revisions & {
      readonly history: readonly ControllerRevision[];
      readonly owned: readonly Pod[];
    },
    signal: AbortSignal,
  ): Promise<void> => {
    const live = new Set([
      ...owned.map(({ metadata }) => metadata.labels?.[revisionLabel] ?? ""),
      ...[current, update].map(({ metadata }) => metadata.name ?? ""),
    ]);
    const past = pastRevisions(history, { live, limit: set.spec?.revisionHistoryLimit ?? 10 });
    if (past.length > 0) await deleteRevisions(client, set, past, signal);
  };

  return createReconciler(
    {
      ...{ name, queue: "statefulset", workers },
      follows: (owners) => [
        { informer: sets, handlers: ownerHandlers(owners, (key) => expectations.forget(key)) },
        { informer: pods, handlers: childHandlers({ kind, informer: sets, owners, expectations, selectorOf }) },
        { informer: claims, handlers: {} },
        { informer: revisions, handlers: childHandlers({ kind, informer: sets, owners, selectorOf }) },
      ],
      async sync(key, signal): Promise<Outcome> {
        const set: StatefulSet | undefined = sets.store.get(key);
        if (set === undefined || set.metadata.deletionTimestamp !== undefined) return "done";
        const how = { client, kind, selector: set.spec?.selector };
        const owned: readonly Pod[] = await claimChildren(set, { ...how, informer: pods }, signal);
        const claimed: readonly ControllerRevision[] = await claimChildren(
          set,
          { ...how, informer: revisions },
          signal,
        );
        const history = sortedRevisions(claimed);
        const made = await revisionsOf(set, history, signal);
        if (made === undefined) return "retry";
        const { current, update } = made;
        const names = { currentRevision: current.metadata.name ?? "", updateRevision: update.metadata.name ?? "" };
        const plan = decide({ set, pods: owned, ...names }, clock.now());
        const act = async (): Promise<void> => {
          await keepClaims(set, owned, signal);
          if (!expectations.isMet(key)) return;
          for (const action of plan.actions) {
            if (action.type === "delete") await remove(set, action, signal);
            else await create(set, action.ordinal, action.isUpdated ? update : current, signal);
          }
        };
        const [acted] = await Promise.allSettled([act()]);
        if (!sameJson(plan.status, set.status)) await writeStatus(client, kind, set, plan.status, signal);
        if (acted.status === "rejected") throw acted.reason;
        await cleanUp(set, { ...made, history, owned }, signal);
        return plan.againAfterMs === undefined ? "done" : { againAfterMs: plan.againAfterMs };
      },
    },
    tools,
  );
}
