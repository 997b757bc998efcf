import type { Naming } from "@orch/naming/naming.js";
import { deprecatedNodeLabels } from "../shared/warnings/node-labels.js";
import type { TopologyTerm } from "./topology.js";

/** Of a storage class whose volumes are made where nodes have labels that were replaced. */
export function topologyWarnings(naming: Naming) {
  const labels = deprecatedNodeLabels(naming);
  return function* ({ allowedTopologies }: { readonly allowedTopologies?: readonly TopologyTerm[] }): Iterable<string> {
    for (const [i, { matchLabelExpressions = [] }] of (allowedTopologies ?? []).entries()) {
      for (const [j, { key = "" }] of matchLabelExpressions.entries()) {
        const why = labels.get(key);
        if (why !== undefined) yield `allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${why}`;
      }
    }
  };
}
