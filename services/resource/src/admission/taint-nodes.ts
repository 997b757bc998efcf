import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import type { AdmissionPlugin } from "./admission.js";

interface NodeSpec {
  readonly taints?: readonly { readonly key?: string; readonly effect?: string }[];
}

/** A new node takes no pods before it has said that it is ready. */
export function taintNodesByCondition(naming: Naming): AdmissionPlugin {
  const key = `node.${naming.key("not-ready")}`;
  const effect = "NoSchedule";
  return {
    name: "TaintNodesByCondition",
    handles: ({ group, plural }, subresource) => group === "" && plural === "nodes" && subresource === "",
    mutateCreate(_write, object) {
      const { spec = {} }: AnyObject & { readonly spec?: NodeSpec } = object;
      const { taints = [] } = spec;
      if (taints.some((taint) => taint.key === key && taint.effect === effect)) return object;
      return { ...object, spec: { ...spec, taints: [...taints, { key, effect }] } };
    },
  };
}
