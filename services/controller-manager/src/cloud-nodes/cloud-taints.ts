import type { Naming } from "@orch/naming/naming.js";
import type { SeenNode, SeenTaint } from "../seen/node.js";

export interface CloudTaints {
  /** Its agent has put it on: nothing goes there before the cloud has said what the node is. */
  readonly uninitialized: string;
  readonly shutdown: string;
}

export const cloudTaints = (naming: Naming): CloudTaints => ({
  uninitialized: `node.cloudprovider.${naming.key("uninitialized")}`,
  shutdown: `node.cloudprovider.${naming.key("shutdown")}`,
});

export const hasTaint = ({ spec }: SeenNode, taint: string): boolean =>
  spec?.taints?.some(({ key }) => key === taint) === true;

/** The taints of a node without those of a key, or with one of it. */
export function taintsWith(node: SeenNode, key: string, added?: SeenTaint): readonly SeenTaint[] {
  const kept = (node.spec?.taints ?? []).filter((taint) => taint.key !== key);
  return added === undefined ? kept : [...kept, added];
}
