import type { Plugin } from "../framework/plugin.js";

/** Higher priority first; of equal ones the pod that entered earlier. */
export const prioritySort: Plugin = {
  name: "PrioritySort",
  queueSort: (a, b) => b.pod.priority - a.pod.priority || a.timestamp - b.timestamp,
};
