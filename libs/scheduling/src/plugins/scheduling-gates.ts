import type { Plugin } from "../framework/plugin.js";
import { unresolvable } from "../framework/status.js";

const name = "SchedulingGates";

/** A pod with gates does not enter the queue. */
export const schedulingGates: Plugin = {
  name,
  preEnqueue: ({ gates }) =>
    gates.length === 0 ? undefined : unresolvable(name, `waiting for scheduling gates: [${gates.join(" ")}]`),
  events: [{ resource: "UnscheduledPod", actions: ["UpdatePodSchedulingGatesEliminated"] }],
};
