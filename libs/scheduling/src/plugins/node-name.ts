import { localFilter, type Plugin } from "../framework/plugin.js";
import { skip, unresolvable } from "../framework/status.js";

const name = "NodeName";
const otherNode = unresolvable(name, "node(s) didn't match the requested node name");

/** A pod that names its node stands on no other. */
export const nodeName: Plugin = {
  name,
  filter: ({ pod }) =>
    pod.nodeName === "" ? skip : localFilter((node) => (node.name === pod.nodeName ? undefined : otherNode)),
  events: [
    {
      resource: "Node",
      actions: ["Add"],
      hint: (pod, event) => event.resource === "Node" && event.after?.name === pod.nodeName,
    },
  ],
};
