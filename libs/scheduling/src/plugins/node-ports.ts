import { localFilter, type Plugin } from "../framework/plugin.js";
import { skip, unschedulable } from "../framework/status.js";
import { conflicts } from "../model/host-ports.js";

const name = "NodePorts";
const taken = unschedulable(name, "node(s) didn't have free ports for the requested pod ports");

/** Ports of the node's own addresses, which one pod at a time may take. */
export const nodePorts: Plugin = {
  name,
  preFilter: ({ pod: { ports } }) =>
    ports.length === 0
      ? skip
      : {
          code: "Ready",
          filter: localFilter((node) => (node.ports.length > 0 && conflicts(ports, node.ports) ? taken : undefined)),
        },
  filter: "prepared",
  events: [
    {
      resource: "AssignedPod",
      actions: ["Delete"],
      hint: (pod, event) =>
        event.resource === "AssignedPod" && event.before !== undefined && conflicts(pod.ports, event.before.ports),
    },
    { resource: "Node", actions: ["Add"] },
  ],
};
