import { isRecord } from "@orch/client/objects.js";
import { patchTypes } from "@orch/client/patch-types.js";
import type { NodeRegistration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { type Cluster, collections } from "../cluster.js";
import type { Tools } from "../world.js";
import { namesOf } from "./names.js";

/** Marks a node as one of the control plane, with the taints that it is to have. */
export async function markControlPlane(cluster: Cluster, registration: NodeRegistration, tools: Tools): Promise<void> {
  const { name, taints = [], criSocket } = registration;
  const { naming, print, machine } = tools;
  const names = namesOf(naming);
  const labels = {
    [names.controlPlaneRole]: "",
    [`node.${naming.key("exclude-from-external-load-balancers")}`]: "",
  };
  print(
    `[mark-control-plane] Marking the node ${name} as control-plane by adding the labels: [${Object.keys(labels).join(" ")}]\n`,
  );
  if (taints.length > 0) {
    const shown = taints.map(({ key, value = "", effect }) => `${key}${value === "" ? "" : `=${value}`}:${effect}`);
    print(`[mark-control-plane] Marking the node ${name} as control-plane by adding the taints [${shown.join(" ")}]\n`);
  }
  if (machine.isDry) return;
  const { spec, metadata } = await cluster.client.get(collections.nodes, name);
  const there: unknown = isRecord(spec) ? spec["taints"] : undefined;
  const kept = (Array.isArray(there) ? there : []).filter(
    (taint) => !taints.some(({ key, effect }) => isRecord(taint) && taint["key"] === key && taint["effect"] === effect),
  );
  const body = {
    metadata: {
      // Controllers change taints, too: what was read must still be so.
      resourceVersion: metadata.resourceVersion,
      labels,
      ...(criSocket === ""
        ? {}
        : { annotations: { [`${names.program}.alpha.${naming.key("cri-socket")}`]: criSocket } }),
    },
    ...(taints.length === 0 ? {} : { spec: { taints: [...kept, ...taints] } }),
  };
  await cluster.client.patch(collections.nodes, name, { type: patchTypes.merge, body });
}
