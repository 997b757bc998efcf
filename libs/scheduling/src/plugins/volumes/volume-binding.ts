import type { Naming } from "@orch/naming/naming.js";
import type { ClusterView } from "../../cluster/view.js";
import type { NodeFilter, Plugin } from "../../framework/plugin.js";
import { failed, type Rejection, skip, unresolvable, unschedulable } from "../../framework/status.js";
import type { PodInfo } from "../../model/pod-info.js";
import { type BindingPlan, type PlanOn, planner, reaches, reasons } from "./binding-plan.js";
import { type Claim, claimsOf, classOf, lookUp, type Volume } from "./claims.js";

const name = "VolumeBinding";
const conflict = unschedulable(name, reasons.conflict);
/** By what is wrong with bound claims, and then with those that wait; a node has the reasons of both. */
const refusals: ReadonlyMap<string, Rejection> = new Map(
  ["", reasons.gone, reasons.conflict].flatMap((bound) =>
    ["", reasons.noVolume, reasons.noStorage].map((waiting) => {
      const both = [bound, waiting].filter((reason) => reason !== "");
      return [
        `${bound} ${waiting}`,
        waiting === "" && bound === reasons.conflict ? conflict : unresolvable(name, ...both),
      ];
    }),
  ),
);
const immediate = unresolvable(name, "pod has unbound immediate PersistentVolumeClaims");

/** Writes what a plan says and waits until all claims are bound. */
export type CarryOut = (
  plan: BindingPlan,
  pod: PodInfo,
  node: string,
  signal: AbortSignal,
) => Promise<Rejection | undefined>;

export interface VolumeBindingOptions {
  readonly naming: Naming;
  readonly cluster: ClusterView;
  readonly classAnnotation: string;
  readonly carryOut: CarryOut;
}

interface Sorted {
  readonly bound: readonly (Volume | undefined)[];
  /** Claims that wait until their pod has a node. */
  readonly waiting: readonly Claim[];
}

/** Claims are bound on the node of their first pod: to volumes that reach it, or to new ones. */
export function volumeBinding({ naming, cluster, classAnnotation, carryOut }: VolumeBindingOptions): Plugin {
  const promised = new Map<string, string>();
  const plans = new Map<string, BindingPlan>();
  const storage = { objects: cluster.objects, naming, classAnnotation, promised };

  const sort = (pod: PodInfo): Sorted | Rejection => {
    const bound: (Volume | undefined)[] = [];
    const waiting: Claim[] = [];
    for (const named of claimsOf(pod)) {
      const found = lookUp(named, pod, cluster.objects);
      if ("problem" in found) return unresolvable(name, found.problem);
      const { claim } = found;
      const volumeName = claim.spec?.volumeName ?? "";
      if (volumeName !== "") bound.push(cluster.objects.PersistentVolume.get(volumeName));
      else if (waits(claim)) waiting.push(claim);
      else return immediate;
    }
    return { bound, waiting };
  };
  /** A promise that the volume itself shows by now is none any more. */
  const planOf = (waiting: readonly Claim[]): PlanOn => {
    for (const volume of promised.keys())
      if (isTold(cluster.objects.PersistentVolume.get(volume))) promised.delete(volume);
    return planner(waiting, storage);
  };
  const waits = (claim: Claim): boolean =>
    cluster.objects.StorageClass.get(classOf(claim, classAnnotation))?.volumeBindingMode === "WaitForFirstConsumer";

  const filterOf = ({ bound, waiting }: Sorted): NodeFilter => {
    const isGone = bound.includes(undefined);
    const planOn = waiting.length === 0 ? undefined : planOf(waiting);
    return (node) => {
      const isAway = !isGone && bound.some((volume) => volume !== undefined && !reaches(volume, node));
      const plan = planOn?.(node);
      const problem = typeof plan === "string" ? plan : "";
      if (!isGone && !isAway && problem === "") return undefined;
      return refusals.get(`${isGone ? reasons.gone : isAway ? reasons.conflict : ""} ${problem}`);
    };
  };

  return {
    name,
    preFilter: ({ pod }) => {
      if (claimsOf(pod).length === 0) return skip;
      const sorted = sort(pod);
      return "code" in sorted ? sorted : { code: "Ready", filter: filterOf(sorted) };
    },
    filter: "prepared",
    // Scores by capacity belong to a gate that is off: nothing tells nodes apart.
    preScore: () => skip,
    score: "prepared",
    reserve: {
      reserve: (pod, nodeName) => {
        const node = cluster.node(nodeName);
        const sorted = claimsOf(pod).length === 0 ? undefined : sort(pod);
        if (sorted === undefined || node === undefined) return undefined;
        if ("code" in sorted) return sorted;
        if (sorted.waiting.length === 0) return undefined;
        const plan = planOf(sorted.waiting)(node);
        if (typeof plan === "string") return unresolvable(name, plan);
        for (const { volume, claim } of plan.bind) promised.set(volume, claim);
        plans.set(pod.key, plan);
        return undefined;
      },
      unreserve: (pod) => {
        for (const { volume } of plans.get(pod.key)?.bind ?? []) promised.delete(volume);
        plans.delete(pod.key);
      },
    },
    preBind: async (pod, node, signal) => {
      const plan = plans.get(pod.key);
      if (plan === undefined) return undefined;
      const problem = await carryOut(plan, pod, node, signal);
      if (problem !== undefined) return failed(name, `binding volumes: ${problem.reasons.join(", ")}`);
      // The promise holds until the mirror shows the volume as bound.
      plans.delete(pod.key);
      return undefined;
    },
    events: [
      { resource: "StorageClass", actions: ["Add", "Update"] },
      {
        resource: "PersistentVolumeClaim",
        actions: ["Add", "Update"],
        hint: (pod, event) => event.resource === "Other" && isOwnClaim(pod, event.after),
      },
      { resource: "PersistentVolume", actions: ["Add", "Update"] },
      { resource: "Node", actions: ["Add", "UpdateNodeLabel"] },
      { resource: "CSINode", actions: ["Add", "Update"] },
      { resource: "CSIDriver", actions: ["Update"] },
      { resource: "CSIStorageCapacity", actions: ["Add", "Update"] },
    ],
  };
}

const isTold = (volume: Volume | undefined): boolean =>
  volume?.spec === undefined || volume.spec.claimRef !== undefined;

function isOwnClaim(pod: PodInfo, claim: Claim | undefined): boolean {
  const { namespace = "", name: own = "" } = claim?.metadata ?? {};
  return claimsOf(pod).some(({ key }) => key === `${namespace}/${own}`);
}
