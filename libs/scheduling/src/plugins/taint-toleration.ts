import { localFilter, type Plugin } from "../framework/plugin.js";
import { type Rejection, unresolvable } from "../framework/status.js";
import { firstUntolerated, isTolerated, type Taint } from "../model/tolerations.js";
import { normalizedTo } from "./normalize.js";

const name = "TaintToleration";

/** Taints that a pod does not tolerate: of `NoSchedule` and `NoExecute` none, of `PreferNoSchedule` as few as may be. */
export function taintToleration(): Plugin {
  // One value for each taint that there is: what refuses many nodes is counted by what it is.
  const refusals = new WeakMap<Taint, Rejection>();
  const refusal = (taint: Taint): Rejection => {
    let known = refusals.get(taint);
    if (known === undefined) {
      known = unresolvable(name, `node(s) had untolerated taint {${taint.key}: ${taint.value}}`);
      refusals.set(taint, known);
    }
    return known;
  };
  return {
    name,
    filter: ({ pod: { tolerations } }) =>
      localFilter(({ taints }) => {
        if (taints.length === 0) return undefined;
        const taint = firstUntolerated(taints, tolerations);
        return taint === undefined ? undefined : refusal(taint);
      }),
    preScore: ({ pod }) => {
      const tolerations = pod.tolerations.filter(({ effect = "" }) => effect === "" || effect === "PreferNoSchedule");
      return {
        score: ({ softTaints }) => {
          let count = 0;
          for (const taint of softTaints) if (!isTolerated(tolerations, taint)) count += 1;
          return count;
        },
        normalize: normalizedTo({ reverse: true }),
      };
    },
    score: "prepared",
    events: [
      {
        resource: "Node",
        actions: ["Add", "UpdateNodeTaint"],
        hint: (pod, event) =>
          event.resource === "Node" &&
          event.after !== undefined &&
          firstUntolerated(event.after.taints, pod.tolerations) === undefined,
      },
      { resource: "UnscheduledPod", actions: ["UpdatePodTolerations"] },
    ],
  };
}
