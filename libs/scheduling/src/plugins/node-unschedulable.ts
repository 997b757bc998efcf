import type { Naming } from "@orch/naming/naming.js";
import { localFilter, type Plugin } from "../framework/plugin.js";
import { skip, unresolvable } from "../framework/status.js";
import type { PodInfo } from "../model/pod-info.js";
import { isTolerated } from "../model/tolerations.js";

const name = "NodeUnschedulable";
const refused = unresolvable(name, "node(s) were unschedulable");

/** Cordoned nodes, unless the pod tolerates the taint that says the same. */
export function nodeUnschedulable(naming: Naming): Plugin {
  const taint = { key: `node.${naming.key("unschedulable")}`, value: "", effect: "NoSchedule" };
  const tolerated = (pod: PodInfo): boolean => isTolerated(pod.tolerations, taint);
  return {
    name,
    filter: ({ pod }) => (tolerated(pod) ? skip : localFilter((node) => (node.unschedulable ? refused : undefined))),
    events: [
      {
        resource: "Node",
        actions: ["Add", "UpdateNodeTaint"],
        hint: (pod, event) =>
          event.resource === "Node" && event.after !== undefined && (!event.after.unschedulable || tolerated(pod)),
      },
      { resource: "UnscheduledPod", actions: ["UpdatePodTolerations"], hint: tolerated },
    ],
  };
}
