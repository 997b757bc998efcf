import { controllerOf, isGoing } from "../rim/objects.js";
import type { Pod } from "../rim/pods.js";
import { type Consumer, isPodDone, type ResourceClaim } from "./types.js";

/** What is known of a pod: `unknown` where it was not seen and the server was not asked. */
export type KnownPod = Pod | "gone" | "unknown";

export interface ClaimState {
  /** Finalizer of claims whose devices the scheduler gave out. */
  readonly finalizer: string;
  readonly podNamed: (name: string) => KnownPod;
}

export type ClaimAction =
  | { readonly do: "ask"; readonly pods: readonly string[] }
  | { readonly do: "refuse"; readonly problem: string }
  /** Who uses it is written anew; `frees`: nobody does, and its devices are given back. */
  | { readonly do: "release"; readonly reservedFor: readonly Consumer[]; readonly frees: boolean }
  | { readonly do: "dropFinalizer" }
  | { readonly do: "delete" };

/** What is to become of a claim: in this order. */
export function decideClaim(claim: ResourceClaim, state: ClaimState): readonly ClaimAction[] {
  const consumers = claim.status?.reservedFor ?? [];
  const foreign = consumers.find(({ apiGroup = "", resource }) => apiGroup !== "" || resource !== "pods");
  if (foreign !== undefined) {
    return [{ do: "refuse", problem: `unsupported ReservedFor entry: ${JSON.stringify(foreign)}` }];
  }
  const unknown = consumers.flatMap(({ name = "" }) => (state.podNamed(name) === "unknown" ? [name] : []));
  if (unknown.length > 0) return [{ do: "ask", pods: unknown }];
  const left = consumers.filter((consumer) => isUsing(consumer, state));
  if (left.length > 0) {
    return left.length < consumers.length ? [{ do: "release", reservedFor: left, frees: false }] : [];
  }
  return [...decideUnused(claim, consumers.length > 0, state), ...decideOwner(claim, state)];
}

function isUsing({ name = "", uid }: Consumer, { podNamed }: ClaimState): boolean {
  const pod = podNamed(name);
  return typeof pod !== "string" && pod.metadata.uid === uid && !isPodDone(pod);
}

/** Nobody uses it any more. */
function decideUnused(claim: ResourceClaim, wasUsed: boolean, { finalizer }: ClaimState): readonly ClaimAction[] {
  const isOurs = claim.metadata.finalizers?.includes(finalizer) === true;
  if (!wasUsed && !(isOurs && isGoing(claim))) return [];
  const hasDevices = claim.status?.allocation !== undefined;
  const drop: readonly ClaimAction[] = isOurs ? [{ do: "dropFinalizer" }] : [];
  if (!wasUsed && !hasDevices) return drop;
  return [{ do: "release", reservedFor: [], frees: isOurs }, ...drop];
}

/** It was made for a pod that will not run (again), and is not gone with it yet. */
function decideOwner(claim: ResourceClaim, { podNamed }: ClaimState): readonly ClaimAction[] {
  const owner = controllerOf(claim);
  if (owner?.kind !== "Pod" || isGoing(claim)) return [];
  const pod = podNamed(owner.name ?? "");
  if (typeof pod === "string") return [];
  return pod.metadata.uid !== owner.uid || isPodDone(pod) ? [{ do: "delete" }] : [];
}
