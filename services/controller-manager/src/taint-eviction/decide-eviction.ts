import { tolerates } from "@orch/scheduling/model/tolerations.js";
import { millisecondsOf } from "../rim/objects.js";
import type { SeenTaint } from "../seen/node.js";
import type { SeenPod } from "../seen/pod.js";

/** What the taints of a pod's node mean to it. */
export type Stay =
  | { readonly type: "forever" }
  /** From when the taints were first seen. */
  | { readonly type: "for"; readonly ms: number };

/** `taints`: of the node, those that make pods go. */
export function decideStay({ spec = {} }: SeenPod, taints: readonly SeenTaint[]): Stay {
  const { tolerations = [] } = spec;
  let least = Number.POSITIVE_INFINITY;
  for (const { key = "", value = "", effect = "" } of taints) {
    const tolerating = tolerations.filter((toleration) => tolerates(toleration, { key, value, effect }));
    if (tolerating.length === 0) return { type: "for", ms: 0 };
    for (const { tolerationSeconds } of tolerating) {
      if (tolerationSeconds !== undefined) least = Math.min(least, Math.max(0, millisecondsOf(tolerationSeconds)));
    }
  }
  return Number.isFinite(least) ? { type: "for", ms: least } : { type: "forever" };
}

export const isEvicting = ({ effect }: SeenTaint): boolean => effect === "NoExecute";
