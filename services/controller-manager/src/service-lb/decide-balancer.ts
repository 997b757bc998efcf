import type { Naming } from "@orch/naming/naming.js";
import type { BalancerIngress } from "../clouds/load-balancers.js";
import { isGoing } from "../rim/objects.js";
import type { SeenNode } from "../seen/node.js";
import type { SeenService } from "../seen/service.js";

/** A service that may have a balancer. */
export interface BalancedService extends SeenService {
  readonly spec?: SeenService["spec"] & { readonly loadBalancerClass?: string };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly BalancerIngress[] } };
}

/** Those of a class are somebody else's. */
export const wantsBalancer = ({ spec }: BalancedService): boolean =>
  spec?.type === "LoadBalancer" && spec.loadBalancerClass === undefined;

export type BalancerDecision = "ignore" | "ensure" | "remove";

/** What is to become of a service's balancer. `finalizer` stays on a service for as long as there may be one. */
export function decideBalancer(service: BalancedService, finalizer: string): BalancerDecision {
  const wants = wantsBalancer(service);
  const mayHave = service.metadata.finalizers?.includes(finalizer) === true;
  if (mayHave && (isGoing(service) || !wants)) return "remove";
  return wants && !isGoing(service) ? "ensure" : "ignore";
}

/** What of a service makes its balancer what it is: where it is the same, nothing is to be done. */
export const balancerKey = ({ metadata, spec }: BalancedService): string =>
  JSON.stringify([metadata.uid, spec, metadata.annotations]);

export interface NodeWords {
  /** Label: balancers do not lead there. */
  readonly excluded: string;
  /** Taint: it is about to be taken away. */
  readonly toBeDeleted: string;
}

export const nodeWords = (naming: Naming): NodeWords => ({
  excluded: `node.${naming.key("exclude-from-external-load-balancers")}`,
  toBeDeleted: "ToBeDeletedByClusterAutoscaler",
});

/** Balancers lead to it. */
export function isTarget(node: SeenNode, words: NodeWords): boolean {
  if (isGoing(node) || node.metadata.labels?.[words.excluded] !== undefined) return false;
  return !(node.spec?.taints ?? []).some(({ key }) => key === words.toBeDeleted);
}
