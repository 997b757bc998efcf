import { isRecord } from "@orch/client/objects.js";
import { patchTypes } from "@orch/client/patch-types.js";
import type { NodeRegistration, Taint } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { type Cluster, collections } from "../cluster.js";
import { until } from "../phases/wait.js";
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
  const annotations: Readonly<Record<string, string>> =
    criSocket === "" ? {} : { [`${names.program}.alpha.${naming.key("cri-socket")}`]: criSocket };
  print(
    `[mark-control-plane] Marking the node ${name} as control-plane by adding the labels: [${Object.keys(labels).join(" ")}]\n`,
  );
  if (taints.length > 0) {
    const shown = taints.map(({ key, value = "", effect }) => `${key}${value === "" ? "" : `=${value}`}:${effect}`);
    print(`[mark-control-plane] Marking the node ${name} as control-plane by adding the taints [${shown.join(" ")}]\n`);
  }
  if (machine.isDry) return;
  const what = `the node ${name} could not be marked`;
  // Its agent may not have registered it yet, and controllers change it at the same time.
  await until(() => mark(cluster, { name, taints, labels, annotations }), { what, timeoutMs: markWithinMs }, tools);
}

const markWithinMs = 60_000;
const attemptMs = 15_000;

interface Marks {
  readonly name: string;
  readonly taints: readonly Taint[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

async function mark({ client }: Cluster, { name, taints, labels, annotations }: Marks): Promise<void> {
  const signal = AbortSignal.timeout(attemptMs);
  const { spec, metadata } = await client.get(collections.nodes, name, { signal });
  const there: unknown = isRecord(spec) ? spec["taints"] : undefined;
  const kept = (Array.isArray(there) ? there : []).filter(
    (taint) => !taints.some(({ key, effect }) => isRecord(taint) && taint["key"] === key && taint["effect"] === effect),
  );
  const body = {
    // What was read must still be so.
    metadata: { resourceVersion: metadata.resourceVersion, labels, annotations },
    ...(taints.length === 0 ? {} : { spec: { taints: [...kept, ...taints] } }),
  };
  await client.patch(collections.nodes, name, { type: patchTypes.merge, body, signal });
}
